export interface HostileRequest {
  readonly name: string;
  readonly pieces: readonly (string | Buffer)[];
  /** Requests that a reader of RFC 9112 sees in it, at the most: more must not reach an endpoint. */
  readonly requests: number;
  /** The client goes away without waiting. */
  readonly leaves?: true;
  /** What must be answered; absent: anything but a fault of weir's own. */
  readonly refused?: true;
}

/** Inner requests, and header fields that a line break would make, have this in them: an endpoint must never see it. */
export const SMUGGLED = 'smuggled';

/** A host that is redirected. */
export const REDIRECTED = 'redirected.fuzz.example';

const INNER = `GET /${SMUGGLED} HTTP/1.1\r\nHost: HOST\r\n\r\n`;

/** What broken and hostile clients send over HTTP/1.1. `host`: one that is served; `shop`: a path of it that is. */
export function hostileRequests(
  host: string,
  controlSocket: string,
  adminPort: number,
  shop: string,
): readonly HostileRequest[] {
  const inner = INNER.replace('HOST', host);
  const get = (target: string, headers = '', version = 'HTTP/1.1') =>
    `GET ${target} ${version}\r\nHost: ${host}\r\n${headers}Connection: close\r\n\r\n`;
  const one = (name: string, text: string, refused?: true): HostileRequest => ({
    name,
    pieces: [text],
    requests: 1,
    ...(refused === undefined ? {} : { refused }),
  });
  const post = (headers: string, body: string) => `POST ${shop} HTTP/1.1\r\nHost: ${host}\r\n${headers}\r\n${body}`;
  const smuggle = (name: string, headers: string, body = inner) => one(name, post(headers, body));
  return [
    one('nothing but line breaks', '\r\n\r\n\r\n\r\n'),
    one('bytes that are no request', '\xff\xfe\x00\x01\x02\r\n\r\n', true),
    one('a request line without a version (HTTP/0.9)', `GET ${shop}\r\n`),
    one('HTTP/9.9', get(shop, '', 'HTTP/9.9'), true),
    one('HTTP/1.99', get(shop, '', 'HTTP/1.99')),
    one('a version that is none', get(shop, '', 'HTTQ/1.1'), true),
    one('two spaces in the request line', `GET  ${shop} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    one('a tab in the request line', `GET\t${shop}\tHTTP/1.1\r\nHost: ${host}\r\n\r\n`, true),
    one('a line feed alone', `GET ${shop} HTTP/1.1\nHost: ${host}\nConnection: close\n\n`),
    one('a carriage return alone', `GET ${shop} HTTP/1.1\rHost: ${host}\r\r`, true),
    one('a method in lower case', get(shop).replace('GET', 'get'), true),
    one('a method of 10,000 letters', get(shop).replace('GET', 'G'.repeat(10_000)), true),
    one('a method with brackets', get(shop).replace('GET', 'G{}T'), true),
    one('TRACE', get(shop).replace('GET', 'TRACE'), true),
    one('CONNECT host:port', `CONNECT 127.0.0.1:${adminPort} HTTP/1.1\r\nHost: ${host}\r\n\r\n`, true),
    one('CONNECT /', get('/').replace('GET', 'CONNECT'), true),
    one('PRI * HTTP/2.0', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', true),
    one('OPTIONS *', get('*').replace('GET', 'OPTIONS'), true),
    one('a target without slash', get('shop'), true),
    one('an empty target', get(''), true),
    one('a space in the target', get(`${shop}/a b`), true),
    one('NUL in the target', get(`${shop}/\0`), true),
    one('a control character in the target', get(`${shop}/\x01\x7f`), true),
    one('%00 in the target', get(`${shop}/%00`)),
    one('%0d%0a in the target', get(`${shop}/%0d%0aX-${SMUGGLED}:%201`)),
    one('%0a in the query', get(`${shop}?a=%0d%0aX-${SMUGGLED}:%201`)),
    one('% alone', get(`${shop}/%`), true),
    one('%zz', get(`${shop}/%zz`), true),
    one('overlong UTF-8', get(`${shop}/%c0%af%c0%ae%c0%ae`)),
    one('bytes that are no UTF-8', get(`${shop}/\xff\xfe\xc0\xaf`)),
    one('up above the root', get('/../../../etc/passwd'), true),
    one('up above the root, escaped', get('/%2e%2e/%2e%2e/etc/passwd'), true),
    one('up and down', get(`${shop}/..${shop}/./x//y/..`)),
    one('a backslash', get(`${shop}\\..\\..`)),
    one('quotes and braces', get(`${shop}/"'{}$host\${host};#`)),
    one('Lua brackets', get(`${shop}/]]--[[%s%d]==]`)),
    one('a fragment', get(`${shop}#a`)),
    one('a target of 20,000 characters', get(`${shop}/${'a'.repeat(20_000)}`), true),
    one('a target of 15,000 escapes', get(`${shop}/${'%41'.repeat(5_000)}`)),
    one('an expression for ever', get(`/${'a'.repeat(8_000)}!`)),
    one('a whole URL', get(`http://${host}${shop}`)),
    one('a whole URL of another host', get(`http://elsewhere.example${shop}`), true),
    one('a whole URL of the admin address', get(`http://127.0.0.1:${adminPort}${shop}`), true),
    one('a whole URL with a unix socket', get(`http://unix:${controlSocket}:/v1/state`), true),
    one('unix: as scheme', get(`unix:${controlSocket}`), true),
    one('a whole URL with user and password', get(`http://a:b@${host}${shop}`)),
    one('a page of weir itself', get('/.weir/error'), true),
    one('a named location', get('@weir_error'), true),
    ...HOSTS.map((value) => one(`Host: ${JSON.stringify(value.slice(0, 40))}`, get(shop).replace(host, value), true)),
    one('Host: the control socket', get('/v1/state').replace(host, `unix:${controlSocket}`), true),
    one('Host: the admin address', get('/api/v1/status').replace(host, `127.0.0.1:${adminPort}`), true),
    one('no Host', `GET ${shop} HTTP/1.1\r\nConnection: close\r\n\r\n`, true),
    one('two Hosts', get(shop, `Host: ${host}\r\n`), true),
    one('two different Hosts', get(shop, 'Host: elsewhere.example\r\n'), true),
    one('HTTP/1.0 without Host', `GET ${shop} HTTP/1.0\r\n\r\n`, true),
    one('a Host with a port', get(shop).replace(host, `${host}:12345`)),
    one('a Host with a dot at its end', get(shop).replace(host, `${host}.`)),
    one('a header without a colon', get(shop, 'nonsense\r\n')),
    one('a header without a name', get(shop, ': a\r\n')),
    one('a space before the colon', get(shop, 'X-A : b\r\n')),
    one('a folded header', get(shop, `X-A: b\r\n ${SMUGGLED}: c\r\n`)),
    one('a line break in a header', get(shop, `X-A: b\rX-${SMUGGLED}: c\r\n`), true),
    one('NUL in a header', get(shop, 'X-A: b\0c\r\n')),
    one('NUL in a header name', get(shop, 'X-\0A: b\r\n')),
    one('control characters in a header', get(shop, 'X-A: \x01\x02\x1b[31m\x7f\r\n')),
    one('bytes that are no UTF-8 in a header', get(shop, 'X-A: \xff\xfe\r\nUser-Agent: \xc0\xaf"\\\r\n')),
    one('quotes in what is logged', get(shop, 'User-Agent: ","status":500,"x":"\r\nReferer: {}\\u0000\r\n')),
    one('a header of 15,000 characters', get(shop, `X-A: ${'a'.repeat(15_000)}\r\n`)),
    one('a header of 40,000 characters', get(shop, `X-A: ${'a'.repeat(40_000)}\r\n`), true),
    one(
      '2,000 headers',
      get(
        shop,
        numbered(2_000, (n) => `X-${n}: a\r\n`),
      ),
    ),
    one(
      '180 headers',
      get(
        shop,
        numbered(180, (n) => `X-${n}: a\r\n`),
      ),
    ),
    one(
      '150 of one header',
      get(
        shop,
        numbered(150, (n) => `X-A: ${n}\r\n`),
      ),
    ),
    one('180 arguments', get(`${shop}?${numbered(180, (n) => `a${n}=b&`)}`)),
    one('150 cookies', get(shop, `Cookie: ${numbered(150, (n) => `c${n}=a; `)}\r\n`)),
    one('X-Request-ID with quotes', get(shop, 'X-Request-ID: "]]\\"\r\n')),
    one('X-Accel-Redirect', get(shop, 'X-Accel-Redirect: /.weir/error\r\n')),
    one('an upgrade to h2c', get(shop, 'Upgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n')),
    one('an upgrade to something', get(shop, 'Upgrade: \x01;"\r\n')),
    one('Expect', get(shop, 'Expect: 200-nothing\r\n')),
    one('Range', get(shop, `Range: bytes=${'0-,'.repeat(1_000)}0-\r\n`)),
    smuggle(
      'Content-Length and Transfer-Encoding',
      `Content-Length: ${inner.length + 5}\r\nTransfer-Encoding: chunked\r\n`,
      `0\r\n\r\n${inner}`,
    ),
    smuggle(
      'Transfer-Encoding and Content-Length',
      `Transfer-Encoding: chunked\r\nContent-Length: 4\r\n`,
      `${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`,
    ),
    smuggle('two lengths', `Content-Length: 0\r\nContent-Length: ${inner.length}\r\n`),
    smuggle('two lengths in one line', `Content-Length: 0, ${inner.length}\r\n`),
    smuggle('a length with a sign', `Content-Length: +${inner.length}\r\n`),
    smuggle('a negative length', 'Content-Length: -1\r\n'),
    smuggle('a length in hexadecimal', `Content-Length: 0x${inner.length.toString(16)}\r\n`),
    smuggle('a length above all', 'Content-Length: 99999999999999999999999\r\n'),
    smuggle('a length with a space', `Content-Length : ${inner.length}\r\n`, ''),
    smuggle('xchunked', 'Transfer-Encoding: xchunked\r\n', `0\r\n\r\n${inner}`),
    smuggle('chunked twice', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${inner}`),
    smuggle('chunked, identity', 'Transfer-Encoding: chunked, identity\r\n', `0\r\n\r\n${inner}`),
    smuggle('a tab before chunked', 'Transfer-Encoding:\x0bchunked\r\n', `0\r\n\r\n${inner}`),
    smuggle(
      'chunked behind a line feed alone',
      `X: y\nTransfer-Encoding: chunked\r\nContent-Length: ${inner.length}\r\n`,
    ),
    smuggle('chunk size of nothing', 'Transfer-Encoding: chunked\r\n', `\r\n${inner}`),
    smuggle('chunk size with a sign', 'Transfer-Encoding: chunked\r\n', `-1\r\n${inner}`),
    smuggle('chunk size above all', 'Transfer-Encoding: chunked\r\n', `ffffffffffffffffff\r\n${inner}`),
    smuggle('a chunk longer than its size', 'Transfer-Encoding: chunked\r\n', `1\r\nab\r\n0\r\n\r\n${inner}`),
    smuggle('a chunk that ends in a line feed alone', 'Transfer-Encoding: chunked\r\n', `1\na\n0\n\n`),
    one(
      'a TRACE whose body is none',
      `TRACE ${shop} HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n${inner}`,
      true,
    ),
    one(
      'a body that is none, where no route is',
      `POST /elsewhere HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n${inner}`,
      true,
    ),
    one(
      'a body that is none, where a redirect is',
      `POST ${shop} HTTP/1.1\r\nHost: ${REDIRECTED}\r\nTransfer-Encoding: chunked\r\n\r\nnothing\r\n${inner}`,
      true,
    ),
    {
      name: 'chunk extensions and trailers',
      pieces: [
        post(
          'Transfer-Encoding: chunked\r\nConnection: close\r\n',
          `2;a="b\r\n;"${'x'.repeat(3_000)}\r\nab\r\n0\r\nX-${SMUGGLED}: a\r\n\r\n`,
        ),
      ],
      requests: 1,
    },
    {
      name: 'a GET with a body that is a request',
      pieces: [
        `GET ${shop} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: ${inner.length}\r\nConnection: close\r\n\r\n${inner}`,
      ],
      requests: 1,
    },
    {
      name: 'ten requests at once',
      pieces: [get(shop).replace('Connection: close\r\n', '').repeat(9) + get(shop)],
      requests: 10,
    },
    {
      name: 'a good request behind a bad one',
      pieces: [`GET ${shop} HTTP/9.9\r\n\r\n${get(shop)}`],
      requests: 1,
    },
    { name: 'one byte at a time', pieces: Array.from(get(shop)), requests: 1 },
    {
      name: 'a head that isn’t finished',
      pieces: [`GET ${shop} HTTP/1.1\r\nHost: ${host}\r\n`],
      requests: 1,
      leaves: true,
    },
    {
      name: 'a body that isn’t finished',
      pieces: [post('Content-Length: 1000\r\n', 'abc')],
      requests: 1,
      leaves: true,
    },
    {
      name: 'a chunk that isn’t finished',
      pieces: [post('Transfer-Encoding: chunked\r\n', 'ff\r\nabc')],
      requests: 1,
      leaves: true,
    },
    { name: 'gone before the answer', pieces: [get(shop)], requests: 1, leaves: true },
    { name: 'gone before anything', pieces: [], requests: 0, leaves: true },
    one('TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', true),
    one('the PROXY protocol unasked', `PROXY TCP4 1.2.3.4 5.6.7.8 1 2\r\n${get(shop)}`, true),
  ];
}

function numbered(count: number, text: (number: number) => string): string {
  return Array.from({ length: count }, (_, number) => text(number)).join('');
}

const HOSTS = [
  '',
  ' ',
  '.',
  '..',
  '*',
  '_',
  'a b',
  '"',
  '$host',
  '${host}',
  '{}',
  ';',
  '#',
  '\\',
  ']]',
  '--[[',
  '/../../etc',
  'a/b',
  'a\0b',
  '\x01',
  '\xff\xfe',
  'xn--\xff',
  '[::1]',
  '[::1',
  '[::1]:80:80',
  '127.0.0.1',
  '169.254.169.254',
  'localhost',
  'unix:',
  'a:b',
  'a:99999999',
  'a:-1',
  '@',
  'user@host',
  'h:default/x',
  'default/*',
  '__proto__',
  'constructor',
  `${'a'.repeat(300)}.example`,
  `${'a.'.repeat(2_000)}example`,
  'a'.repeat(9_000),
];
