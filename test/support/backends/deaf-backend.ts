import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { eventually, type Scope } from '../scope.ts';

/** A thread of its own, because it must never come back to its event loop, which would take the connections. */
const LISTENER = `
  const { parentPort } = require('node:worker_threads');
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port);
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/**
 * A port on which somebody listens and nobody takes connections: its queue is full, so the kernel drops what arrives
 * and connecting takes until the client's patience ends.
 */
export async function startDeafBackend(scope: Scope): Promise<{ readonly address: string; readonly port: number }> {
  const worker = new Worker(LISTENER, { eval: true });
  const fillers: Socket[] = [];
  scope.after(async () => {
    for (const socket of fillers) socket.destroy();
    await worker.terminate();
  });
  const port = await new Promise<number>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
  });
  await eventually('the queue to be full', async () => {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    fillers.push(socket);
    const taken = new Promise((resolve) => socket.once('connect', () => resolve(true)));
    return !(await Promise.race([taken, new Promise((resolve) => setTimeout(() => resolve(false), 200))]));
  });
  return { address: '127.0.0.1', port };
}
