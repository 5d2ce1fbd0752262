/**
 * nginx's `$uri` of a path as it was sent: "decoding the text encoded in the %XX form, resolving references to relative
 * path components . and .., and possible compression of two or more adjacent slashes into a single slash" (the
 * documentation of `location`). Decoded first: an encoded slash or dot counts as one. Undefined where nginx answers
 * 400: a percent sign without two digits, a NUL, a step above the root.
 */
export function normalisePath(raw: string): string | undefined {
  if (/%(?![0-9a-f]{2})/i.test(raw)) return undefined;
  const decoded = raw.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(parseInt(digits, 16)));
  if (decoded.includes('\0')) return undefined;
  const kept: string[] = [];
  const elements = decoded.split('/').slice(1);
  for (const element of elements) {
    if (element === '' || element === '.') continue;
    if (element !== '..') kept.push(element);
    else if (kept.pop() === undefined) return undefined;
  }
  const open = ['', '.', '..'].includes(elements.at(-1) ?? '');
  return `/${kept.join('/')}${open && kept.length > 0 ? '/' : ''}`;
}

/**
 * A path that was rewritten, as it is sent: what RFC 3986 doesn't allow in a path is encoded (nginx, CHANGES 1.21.1),
 * and so is what would end the path.
 */
export function encodePath(path: string): string {
  const hex = (character: string) => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return path.replace(/[^\x21-\x7e]|["#%<>?\\^`{|}]/g, hex);
}
