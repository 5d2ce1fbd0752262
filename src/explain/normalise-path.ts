/**
 * The path as nginx matches it ($uri): `%xx` decoded, `//` merged, `.` and `..` resolved, also where they were encoded.
 * Undefined where nginx answers 400: a malformed escape, a NUL, or `..` above the root.
 *
 * Source: nginx ngx_http_parse_complex_uri with merge_slashes on.
 */
export function normalisePath(raw: string): string | undefined {
  const bytes = decode(raw);
  if (bytes === undefined) return undefined;
  const segments: string[] = [];
  const parts = bytes.split('/');
  // What stands before the first slash is nothing: a path begins with one.
  for (const [index, part] of parts.entries()) {
    const last = index === parts.length - 1;
    if (index === 0 || (part === '' && !last)) continue;
    if (part === '.' || part === '..') {
      if (part === '..' && segments.pop() === undefined) return undefined;
      if (last) segments.push('');
    } else segments.push(part);
  }
  return asText(`/${segments.join('/')}`);
}

/** One character a byte, so that an escape is one character, whatever it is part of. */
function decode(raw: string): string | undefined {
  const bytes = Buffer.from(raw, 'utf8').toString('latin1');
  let bad = false;
  const decoded = bytes.replaceAll(/%([0-9a-fA-F]{2})?/g, (_escape, hex: string | undefined) => {
    if (hex === undefined || hex === '00') {
      bad = true;
      return '';
    }
    return String.fromCharCode(Number.parseInt(hex, 16));
  });
  return bad || decoded.includes('\0') ? undefined : decoded;
}

function asText(bytes: string): string {
  return Buffer.from(bytes, 'latin1').toString('utf8');
}
