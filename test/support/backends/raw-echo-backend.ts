import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Scope } from '../scope.ts';
import { listen } from './echo-backend.ts';

/** What a raw echo backend read, byte for byte (latin1). */
export interface RawEcho {
  /** `address:port` that it listens on. */
  readonly endpoint: string;
  readonly requestLine: string;
  /** Values of every Host header. */
  readonly hosts: readonly string[];
}

/** The answer's header that holds the echo, so that an answer to HEAD tells it too. */
const HEADER = 'x-raw-echo';

/**
 * Backends on all these addresses and one port that answer each request (without a body) with what they read. No HTTP
 * parser stands between: one would refuse or change just what a test wants to see.
 */
export async function startRawEchoBackends(scope: Scope, addresses: readonly string[]): Promise<{ port: number }> {
  let port = 0;
  for (const address of addresses) port = await startOne(scope, address, port);
  return { port };
}

export function rawEchoOf(headers: Readonly<Record<string, string | string[] | undefined>>): RawEcho | undefined {
  const value = headers[HEADER];
  return typeof value === 'string' ? (JSON.parse(Buffer.from(value, 'base64').toString()) as RawEcho) : undefined;
}

async function startOne(scope: Scope, address: string, wanted: number): Promise<number> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      for (let end = received.indexOf('\r\n\r\n'); end >= 0; end = received.indexOf('\r\n\r\n')) {
        socket.write(answerTo(received.slice(0, end), `${address}:${portOf(server)}`));
        received = received.slice(end + 4);
      }
    });
  });
  await listen(server, wanted, address);
  scope.after(
    () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        for (const socket of sockets) socket.destroy();
      }),
  );
  return portOf(server);
}

function portOf(server: Server): number {
  return (server.address() as AddressInfo).port;
}

function answerTo(head: string, endpoint: string): string {
  const [requestLine = '', ...lines] = head.split('\r\n');
  const hosts = lines.filter((line) => /^host:/i.test(line)).map((line) => line.slice(5).trim());
  const echo: RawEcho = { endpoint, requestLine, hosts };
  const value = Buffer.from(JSON.stringify(echo)).toString('base64');
  return `HTTP/1.1 200 OK\r\n${HEADER}: ${value}\r\nContent-Length: 0\r\n\r\n`;
}
