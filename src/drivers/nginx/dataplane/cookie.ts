/** The first cookie of this name (with case), as it was sent, without quotes around it. */
export function cookieValue(name: string): string | undefined {
  const text = ngx.var.http_cookie;
  if (text === undefined || text === '') {
    return undefined;
  }
  const wanted = name + '=';
  let start = 1;
  const last = text.length;
  while (start <= last) {
    while (string.byte(text, start) === 32) {
      start += 1;
    }
    const [semicolon] = string.find(text, ';', start, true);
    const finish = semicolon === undefined ? last : semicolon - 1;
    if (string.sub(text, start, start + wanted.length - 1) === wanted && start + wanted.length - 1 <= finish) {
      const [value] = string.match(string.sub(text, start + wanted.length, finish), '^"?(.-)"?%s*$');
      return value;
    }
    start = finish + 2;
  }
  return undefined;
}
