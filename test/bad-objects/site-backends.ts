import { createServer as createHttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { freePort, type Scope } from '../support/scope.ts';
import type { Site } from './site.ts';

/** A backend at every site's own address, all on the port returned; each answers with its site's name. */
export async function startSiteBackends(scope: Scope, sites: readonly Site[]): Promise<number> {
  const names = new Map(sites.map(({ address, name }) => [address, name]));
  const http = createHttpServer({ keepAliveTimeout: 0 }, (request, response) => {
    response.end(names.get(request.socket.localAddress ?? ''));
  });
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    http.emit('connection', socket);
  };
  const port = await freePort();
  const servers = await Promise.all(sites.map(({ address }) => listen(address, port, accept)));
  scope.after(() => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  });
  return port;
}

function listen(address: string, port: number, accept: (socket: Socket) => void): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(accept);
    server.once('error', reject).listen(port, address, () => resolve(server));
  });
}
