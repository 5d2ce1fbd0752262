function percent(character: string): string {
  return string.format('%%%02X', string.byte(character));
}

/** Decoded path text for use in the path of a URL. */
export function escapePath(text: string): string {
  const [escaped] = string.gsub(text, "[^%w%-%._~!%$&'%(%)%*%+,;=:@/]", percent);
  return escaped;
}

/** Decoded text for use inside a query. */
export function escapeQuery(text: string): string {
  const [escaped] = string.gsub(text, '[^%w%-%._~/]', percent);
  return escaped;
}

/** What may not stand in a header at all, or breaks a URL in two; for text that may already be escaped. */
export function escapeUnsafe(text: string): string {
  const [escaped] = string.gsub(text, "[^%w%-%._~!%$&'%(%)%*%+,;=:@/%?#%[%]%%]", percent);
  return escaped;
}

export function asItIs(text: string): string {
  return text;
}

const ENTITIES = new LuaTable<string, string>();
ENTITIES.set('&', '&amp;');
ENTITIES.set('<', '&lt;');
ENTITIES.set('>', '&gt;');
ENTITIES.set('"', '&quot;');
ENTITIES.set("'", '&#39;');

export function escapeHtml(text: string): string {
  const [escaped] = string.gsub(text, '[&<>"\']', (character) => ENTITIES.get(character));
  return escaped;
}
