import { connect, type ConnectionOptions } from 'node:tls';

export interface Exchange {
  readonly status: number;
  readonly resumed: boolean;
  /** The last that the server gave; for TLS 1.2 resumed the former one. */
  readonly session: Buffer | undefined;
  /** All that it gave. */
  readonly sessions: readonly Buffer[];
}

/** One request on a TLS connection of its own, with the session that it may resume and the one that it is given. */
export function exchange(
  port: number,
  host: string,
  { servername = host, ...tls }: ConnectionOptions = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    let session = tls.session;
    const sessions: Buffer[] = [];
    let text = '';
    let resumed = false;
    const socket = connect({ host: '127.0.0.1', port, servername, rejectUnauthorized: false, ...tls }, () => {
      resumed = socket.isSessionReused();
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    });
    socket.on('session', (given) => {
      session = given;
      sessions.push(given);
    });
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.on('close', () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1]);
      if (Number.isInteger(status)) resolve({ status, resumed, session, sessions });
      else reject(new Error(`no answer: ${JSON.stringify(text.slice(0, 300))}`));
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error('no answer within 10 s')));
    socket.on('error', reject);
  });
}
