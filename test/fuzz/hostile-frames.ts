import { SMUGGLED } from './hostile-requests.ts';
import { type Field, FLAG, FRAME, fields, frame, head } from './raw-http2.ts';

export interface HostileFrames {
  readonly name: string;
  readonly frames: readonly Buffer[];
  /** The most requests that may reach an endpoint. */
  readonly requests: number;
}

/** What broken and hostile clients send over HTTP/2. `host`: one that is served; `shop`: a path of it that is. */
export function hostileFrames(
  host: string,
  controlSocket: string,
  adminPort: number,
  shop: string,
): readonly HostileFrames[] {
  const basic: readonly Field[] = [
    [':method', 'GET'],
    [':scheme', 'https'],
    [':authority', host],
    [':path', shop],
  ];
  const having = (name: string, value: string) =>
    basic.map((field): Field => (field[0] === name ? [name, value] : field));
  const without = (name: string) => basic.filter(([each]) => each !== name);
  const sent = (name: string, list: readonly Field[], requests = 1): HostileFrames => ({
    name,
    frames: [head(list)],
    requests,
  });
  const added = (name: string, value: string) =>
    sent(`${JSON.stringify(name)}: ${JSON.stringify(value.slice(0, 40))}`, [...basic, [name, value]]);
  const breaks = `a\r\nX-${SMUGGLED}: 1\r\n\r\nGET /${SMUGGLED} HTTP/1.1\r\nHost: ${host}\r\n\r\n`;
  return [
    sent('a plain request', basic),
    ...[':method', ':scheme', ':authority', ':path'].flatMap((name) => [
      sent(`no ${name}`, without(name)),
      sent(`an empty ${name}`, having(name, '')),
      sent(`two of ${name}`, [...basic, basic.find(([each]) => each === name)!]),
      sent(`${name} with line breaks`, having(name, breaks)),
      sent(`${name} with NUL`, having(name, '/a\0b')),
      sent(`${name} with bytes that are no UTF-8`, having(name, '/\xff\xfe')),
      sent(`${name} with quotes and braces`, having(name, '/"]]--[[${host};{}#')),
      sent(`${name} of 10,000 characters`, having(name, `/${'a'.repeat(10_000)}`)),
    ]),
    sent('an unknown pseudo-header', [...basic, [':protocol', 'websocket']]),
    sent('a pseudo-header behind others', [...without(':path'), ['x-a', 'b'], [':path', shop]]),
    sent('a target without slash', having(':path', 'shop')),
    sent('a whole URL', having(':path', `http://${host}${shop}`)),
    sent('a whole URL with a unix socket', having(':path', `http://unix:${controlSocket}:/v1/state`), 0),
    sent('the control socket as authority', having(':authority', `unix:${controlSocket}`), 0),
    sent('the admin address as authority', having(':authority', `127.0.0.1:${adminPort}`), 0),
    sent('another host beside the authority', [...basic, ['host', 'elsewhere.example']]),
    sent('up above the root', having(':path', '/../../etc/passwd'), 0),
    sent(
      'CONNECT',
      [
        [':method', 'CONNECT'],
        [':authority', `127.0.0.1:${adminPort}`],
      ],
      0,
    ),
    sent('TRACE', having(':method', 'TRACE'), 0),
    added('X-Upper', 'a'),
    added('x a', 'b'),
    added('x:a', 'b'),
    added('', 'b'),
    added(`x\r\nx-${SMUGGLED}`, 'b'),
    added('x-a', breaks),
    added('x-a', 'a\0b'),
    added('x-a', '\x01\x1b[31m\x7f'),
    added('x-a', '\xff\xfe'),
    added('user-agent', '","status":500,"x":"'),
    added('cookie', breaks),
    added('connection', 'close'),
    added('transfer-encoding', 'chunked'),
    added('upgrade', 'h2c'),
    added('te', 'chunked'),
    added('content-length', '100'),
    added('content-length', `0\r\nx-${SMUGGLED}: 1`),
    added('expect', '100-continue'),
    added('x-long', 'a'.repeat(15_000)),
    sent('180 headers', [...basic, ...numbered(180, (n): Field => [`x-${n}`, 'a'])]),
    sent('150 of one header', [...basic, ...numbered(150, (n): Field => ['x-a', String(n)])]),
    {
      name: 'a body longer than its length',
      frames: [
        head([...having(':method', 'POST'), ['content-length', '1']], 1, FLAG.endHeaders),
        frame(FRAME.data, FLAG.endStream, 1, `abc${breaks}`),
      ],
      requests: 1,
    },
    {
      name: 'a body shorter than its length',
      frames: [
        head([...having(':method', 'POST'), ['content-length', '100']], 1, FLAG.endHeaders),
        frame(FRAME.data, FLAG.endStream, 1, 'abc'),
      ],
      requests: 1,
    },
    {
      name: 'a body that is a chunked one with a request behind it',
      frames: [
        head([...having(':method', 'POST'), ['transfer-encoding', 'chunked']], 1, FLAG.endHeaders),
        frame(FRAME.data, FLAG.endStream, 1, `0\r\n\r\nGET /${SMUGGLED} HTTP/1.1\r\nHost: ${host}\r\n\r\n`),
      ],
      requests: 1,
    },
    {
      name: 'trailers with pseudo-headers',
      frames: [
        head(having(':method', 'POST'), 1, FLAG.endHeaders),
        frame(FRAME.data, 0, 1, 'abc'),
        head([[':path', `/${SMUGGLED}`]], 1),
      ],
      requests: 1,
    },
    {
      name: '200 continuations',
      frames: [
        head(basic, 1, FLAG.endStream),
        ...numbered(200, (n) =>
          frame(FRAME.continuation, n === 199 ? FLAG.endHeaders : 0, 1, fields([[`x-${n}`, 'a']])),
        ),
      ],
      requests: 1,
    },
    {
      name: 'a continuation of nothing',
      frames: [frame(FRAME.continuation, FLAG.endHeaders, 1, fields(basic))],
      requests: 0,
    },
    {
      name: '300 streams, each reset at once',
      frames: numbered(300, (n) =>
        Buffer.concat([head(basic, 2 * n + 1), frame(FRAME.reset, 0, 2 * n + 1, '\0\0\0\x08')]),
      ),
      requests: 300,
    },
    { name: 'streams of even number', frames: [head(basic, 2)], requests: 0 },
    { name: 'a stream of number 0', frames: [head(basic, 0)], requests: 0 },
    { name: 'one stream twice', frames: [head(basic, 1), head(basic, 1)], requests: 2 },
    { name: 'data on no stream', frames: [frame(FRAME.data, FLAG.endStream, 5, 'abc')], requests: 0 },
    {
      name: 'a stream that depends on itself',
      frames: [frame(FRAME.headers, 0x25, 1, Buffer.concat([Buffer.from([0, 0, 0, 1, 0]), fields(basic)]))],
      requests: 1,
    },
    {
      name: 'padding longer than the frame',
      frames: [frame(FRAME.headers, 0x0d, 1, Buffer.concat([Buffer.from([255]), fields(basic)]))],
      requests: 0,
    },
    {
      name: 'fields that are cut off',
      frames: [frame(FRAME.headers, 5, 1, fields(basic).subarray(0, 20))],
      requests: 0,
    },
    {
      name: 'an index that is none',
      frames: [frame(FRAME.headers, 5, 1, Buffer.from([0xff, 0xff, 0xff, 0xff, 0xff, 0x7f]))],
      requests: 0,
    },
    { name: 'a frame of unknown type', frames: [frame(99, 255, 1, 'abc'), head(basic, 1)], requests: 1 },
    { name: 'a push by the client', frames: [frame(FRAME.push, 4, 1, '\0\0\0\x02')], requests: 0 },
    { name: 'a window of nothing', frames: [frame(FRAME.window, 0, 0, '\0\0\0\0'), head(basic)], requests: 1 },
    { name: 'a window above all', frames: [frame(FRAME.window, 0, 0, '\x7f\xff\xff\xff'), head(basic)], requests: 1 },
    { name: 'settings of five bytes', frames: [frame(FRAME.settings, 0, 0, 'abcde'), head(basic)], requests: 1 },
    {
      name: 'settings out of range',
      frames: [frame(FRAME.settings, 0, 0, '\0\x05\xff\xff\xff\xff'), head(basic)],
      requests: 1,
    },
    {
      name: '1,000 pings',
      frames: [...numbered(1_000, () => frame(FRAME.ping, 0, 0, '12345678')), head(basic)],
      requests: 1,
    },
    { name: 'a frame that tells 16 MB', frames: [Buffer.from([255, 255, 255, 0, 0, 0, 0, 0, 1])], requests: 0 },
    { name: 'bytes that are no frames', frames: [Buffer.alloc(500, 0xff)], requests: 0 },
  ];
}

function numbered<T>(count: number, make: (number: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, number) => make(number));
}
