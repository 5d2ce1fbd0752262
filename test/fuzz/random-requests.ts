import fc from 'fast-check';
import { SMUGGLED } from './hostile-requests.ts';

/** Bytes that are nearly an HTTP/1.1 request or several, in pieces. */
export function randomRequest(host: string): fc.Arbitrary<readonly string[]> {
  const odd = fc.string({
    unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
    maxLength: 12,
  });
  const oneOf = (...texts: readonly string[]) =>
    fc.oneof({ weight: 24, arbitrary: fc.constantFrom(...texts) }, { weight: 1, arbitrary: odd });
  const end = fc.oneof(
    { weight: 40, arbitrary: fc.constant('\r\n') },
    { weight: 1, arbitrary: fc.constantFrom('\n', '\r', '\r\r\n', '\n\r', '', '\0\r\n') },
  );
  const header = fc
    .tuple(
      oneOf(
        'Content-Length',
        'Content-Length',
        'Transfer-Encoding',
        'Transfer-Encoding',
        'Connection',
        'X-A',
        'Cookie',
        'Upgrade',
        'Expect',
        'Range',
        'TE',
        'Forwarded',
        'content_length',
      ),
      fc.constantFrom(': ', ': ', ': ', ': ', ':', ' : ', ':\t', ':  '),
      oneOf(
        '0',
        '5',
        '5',
        '0x5',
        'chunked',
        'chunked',
        'close',
        'keep-alive',
        'h2c',
        '100-continue',
        `a\r\n ${SMUGGLED}: b`,
        'a'.repeat(2_000),
      ),
      end,
    )
    .map((parts) => parts.join(''));
  const line = fc
    .tuple(
      oneOf('GET', 'GET', 'POST', 'POST', 'POST', 'HEAD', 'PUT', 'OPTIONS', 'TRACE'),
      fc.constantFrom(' ', ' ', ' ', ' ', ' ', ' ', '  '),
      oneOf(
        '/shop',
        '/shop',
        '/shop/%00',
        '/shop?a=b',
        '//shop',
        '/a/../shop',
        `http://${host}/shop`,
        '/%zz',
        '/shop#a',
      ),
      fc.constantFrom(' ', ' ', ' ', ' ', ' ', ' ', '  '),
      oneOf('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/2.0', ''),
      end,
    )
    .map((parts) => parts.join(''));
  const body = fc.oneof(
    fc.constant(''),
    fc.constant(''),
    odd,
    fc.constantFrom(
      '0\r\n\r\n',
      '5\r\nabcde\r\n0\r\n\r\n',
      '5;a="b"\r\nabcde\r\n0\r\nX: y\r\n\r\n',
      'abcde',
      'ffffffffffffffff\r\n',
    ),
  );
  const request = fc
    .tuple(line, fc.array(header, { maxLength: 3 }), end, body)
    .map(([first, headers, last, rest]) => `${first}Host: ${host}\r\n${headers.join('')}${last}${rest}`);
  return fc.array(request, { minLength: 1, maxLength: 3 });
}
