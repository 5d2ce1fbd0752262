/** A Lua string of exactly these bytes. Everything but letters, digits and `_./:-` is a number, so nothing can end it. */
export function luaString(text: string): string {
  let result = '"';
  for (const byte of Buffer.from(text)) {
    const character = String.fromCharCode(byte);
    result += /[A-Za-z0-9_./:-]/.test(character) ? character : `\\${String(byte).padStart(3, '0')}`;
  }
  return `${result}"`;
}
