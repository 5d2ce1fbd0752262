import { createServer, type AddressInfo, type Socket } from 'node:net';
import type { Scope } from '../scope.ts';
import { type Backend, listen } from './echo-backend.ts';

/**
 * `hang`: takes requests and never answers. `reset`: resets the connection when a request arrives. `close`: closes it
 * without an answer. `garbage`: answers what isn't HTTP. `half`: promises 1,000 bytes, sends 10, and closes.
 * `slow`: sends the head of a response and then a byte every 100 ms. `unread`: takes connections and reads nothing.
 */
export type Fault = 'hang' | 'reset' | 'close' | 'garbage' | 'half' | 'slow' | 'unread';

export async function startFaultyBackend(
  scope: Scope,
  fault: Fault,
  address = '127.0.0.1',
  port = 0,
): Promise<Backend> {
  const sockets = new Set<Socket>();
  let requests = 0;
  let connections = 0;
  const server = createServer({ pauseOnConnect: fault === 'unread' }, (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    if (fault === 'unread') return;
    socket.once('data', () => {
      requests += 1;
      misbehave(socket, fault);
    });
  });
  await listen(server, port, address);
  const close = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  scope.after(close);
  const bound = (server.address() as AddressInfo).port;
  return { name: fault, address, port: bound, requests: () => requests, connections: () => connections, close };
}

function misbehave(socket: Socket, fault: Fault): void {
  switch (fault) {
    case 'hang':
    case 'unread':
      return;
    case 'reset':
      socket.resetAndDestroy();
      return;
    case 'close':
      socket.end();
      return;
    case 'garbage':
      socket.end('\u0016\u0003\u0001 this is not HTTP\r\n\r\n');
      return;
    case 'half':
      socket.end('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n0123456789');
      return;
    case 'slow': {
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n');
      const timer = setInterval(() => socket.write('.'), 100);
      socket.on('close', () => clearInterval(timer));
    }
  }
}

/** A port on which nobody listens: connections are refused. */
export async function refusedPort(): Promise<number> {
  const server = createServer();
  await listen(server, 0, '127.0.0.1');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
