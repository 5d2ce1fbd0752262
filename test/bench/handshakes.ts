import { connect } from 'node:tls';
import { quantile } from './figures.ts';
import type { LoadResult } from './wrk.ts';

export interface HandshakeLoad {
  readonly port: number;
  readonly host: string;
  readonly seconds: number;
  readonly connections: number;
}

const PATIENCE_MS = 20_000;

/**
 * GET / over and over, each on a connection of its own with a whole handshake: no session is ever offered, which wrk can
 * not be kept from. Rejects when one was answered with anything but 200.
 */
export async function runHandshakes({ port, host, seconds, connections }: HandshakeLoad): Promise<LoadResult> {
  const until = performance.now() + seconds * 1000;
  const times: number[] = [];
  const client = async () => {
    while (performance.now() < until) {
      const begun = performance.now();
      await ask(port, host);
      times.push(performance.now() - begun);
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  return { requests: times.length, perSecond: times.length / seconds, p99Ms: quantile(times, 0.99) };
}

function ask(port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port, servername: host, rejectUnauthorized: false }, () =>
      socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`),
    );
    let answer = '';
    socket.setTimeout(PATIENCE_MS, () => socket.destroy(new Error(`${host} does not answer on port ${port}`)));
    socket.on('data', (chunk: Buffer) => {
      answer += chunk.toString('latin1');
    });
    socket.once('error', reject);
    socket.once('close', () => {
      if (answer.startsWith('HTTP/1.1 200 ')) resolve();
      else reject(new Error(`${host} answers ${JSON.stringify(answer.slice(0, 200))}`));
    });
  });
}
