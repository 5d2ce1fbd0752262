import { createSocket } from 'node:dgram';
import type { Scope } from './scope.ts';

const TYPES = { A: 1, AAAA: 28 } as const;
const NOT_FOUND = 3;

/** A DNS server on loopback that knows what a test tells it; everything else it denies. */
export interface DnsServer {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  /** From now on the name has these IPv4 addresses, for one second. */
  answer(name: string, addresses: readonly string[]): void;
}

export async function startDnsServer(scope: Scope): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const names = new Map<string, readonly string[]>();
  socket.on('message', (query, { port, address }) => socket.send(respond(query, names), port, address));
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.bind(0, '127.0.0.1', resolve);
  });
  scope.after(() => new Promise<void>((resolve) => socket.close(() => resolve())));
  return {
    address: `127.0.0.1:${socket.address().port}`,
    answer: (name, addresses) => names.set(name, addresses),
  };
}

/** RFC 1035, 4.1: header, the question as it came, the answers. */
function respond(query: Buffer, names: ReadonlyMap<string, readonly string[]>): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = query.readUInt16BE(at + 1);
  const known = names.get(labels.join('.').toLowerCase());
  const records = (type === TYPES.A ? (known ?? []) : []).map((address) => {
    const record = Buffer.alloc(16);
    record.writeUInt16BE(0xc00c, 0); // the question's name
    record.writeUInt16BE(TYPES.A, 2);
    record.writeUInt16BE(1, 4); // IN
    record.writeUInt32BE(1, 6); // seconds to live
    record.writeUInt16BE(4, 10);
    Buffer.from(address.split('.').map(Number)).copy(record, 12);
    return record;
  });
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (known === undefined ? NOT_FOUND : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, query.subarray(12, at + 5), ...records]);
}
