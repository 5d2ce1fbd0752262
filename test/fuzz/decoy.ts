import { createServer, type Server, type Socket } from 'node:net';
import { freePort, type Scope } from '../support/scope.ts';

/** Stands where weir's admin server would, on both loopback addresses, and counts who comes. */
export interface Decoy {
  readonly port: number;
  readonly addresses: readonly string[];
  connections(): number;
}

export async function startDecoy(scope: Scope): Promise<Decoy> {
  const port = await freePort();
  const addresses = ['127.0.0.1', '::1'];
  let connections = 0;
  const sockets = new Set<Socket>();
  const count = (socket: Socket) => {
    connections += 1;
    sockets.add(socket.on('close', () => sockets.delete(socket)));
    socket.on('error', () => undefined).end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\nadmin');
  };
  for (const address of addresses) {
    const server: Server = createServer(count);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
    scope.after(() => {
      server.close();
      for (const socket of sockets) socket.destroy();
    });
  }
  return { port, addresses, connections: () => connections };
}
