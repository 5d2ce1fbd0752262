import { type RawAnswer, sendRaw } from './raw-client.ts';

export type Field = readonly [name: string, value: string];

const PREFACE = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n';
export const FRAME = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  window: 8,
  continuation: 9,
};
export const FLAG = { endStream: 1, endHeaders: 4, padded: 8, priority: 0x20 };

/** RFC 9113, 4.1. */
export function frame(type: number, flags: number, stream: number, payload: Buffer | string = ''): Buffer {
  const body = typeof payload === 'string' ? Buffer.from(payload, 'latin1') : payload;
  const head = Buffer.alloc(9);
  head.writeUIntBE(body.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, body]);
}

/** Fields as literals without index and without Huffman code (RFC 7541, 6.2.2), whatever is in them. */
export function fields(list: readonly Field[]): Buffer {
  return Buffer.concat(list.flatMap(([name, value]) => [Buffer.from([0]), text(name), text(value)]));
}

export function head(list: readonly Field[], stream = 1, flags = FLAG.endStream | FLAG.endHeaders): Buffer {
  return frame(FRAME.headers, flags, stream, fields(list));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value, 'latin1');
  return Buffer.concat([integer(bytes.length), bytes]);
}

/** RFC 7541, 5.1, with a prefix of seven bits. */
function integer(value: number): Buffer {
  if (value < 127) return Buffer.from([value]);
  const bytes = [127];
  let rest = value - 127;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

/** Opens a connection over TLS and sends these frames as they are. */
export function sendFrames(port: number, servername: string, frames: readonly Buffer[]): Promise<RawAnswer> {
  const opening = Buffer.concat([Buffer.from(PREFACE), frame(FRAME.settings, 0, 0), ...frames]);
  return sendRaw({ port, pieces: [opening], tls: { servername, alpn: 'h2' }, quiet: 60 });
}
