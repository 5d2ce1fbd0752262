import { createServer as createHttpServer } from 'node:http';
import { createServer, type Socket } from 'node:net';
import { freePort, type Scope } from '../support/scope.ts';

/** What arrived at an endpoint. */
export interface Witness {
  /** The endpoint's own address. */
  readonly at: string;
  readonly method: string;
  readonly url: string;
  /** Names and values in turn, as they came. */
  readonly headers: readonly string[];
  readonly bodyBytes: number;
}

/** Endpoints on many addresses and one port, each of which answers with what arrived. */
export interface WitnessBackend {
  readonly port: number;
  readonly addresses: readonly string[];
  /** Of all requests so far, without their bodies. */
  requests(): number;
  /** Of requests whose target has this number between two dots. */
  marked(number: number): number;
  /** Whether a request ever had this text in its target or in the name of a header. */
  smuggled(text: string): boolean;
}

export async function startWitnessBackend(scope: Scope, count: number): Promise<WitnessBackend> {
  const port = await freePort();
  const addresses = Array.from(
    { length: count },
    (_, index) => `127.7.${Math.floor(index / 200)}.${(index % 200) + 1}`,
  );
  const names = new Set<string>();
  const marks = new Map<number, number>();
  let requests = 0;
  const http = createHttpServer({ keepAliveTimeout: 0, maxHeaderSize: 256 * 1024 }, (request, response) => {
    requests += 1;
    let bodyBytes = 0;
    request.on('data', (chunk: Buffer) => (bodyBytes += chunk.length));
    request.on('error', () => undefined);
    request.on('end', () => {
      const witness: Witness = {
        at: request.socket.localAddress ?? '',
        method: request.method ?? '',
        url: request.url ?? '',
        headers: request.rawHeaders,
        bodyBytes,
      };
      const mark = Number(/\.(\d+)\./.exec(request.url ?? '')?.[1]);
      marks.set(mark, (marks.get(mark) ?? 0) + 1);
      names.add(request.url?.replace(/\?.*/, '') ?? '');
      for (const name of Object.keys(request.headers)) names.add(name);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(witness));
    });
  });
  http.maxHeadersCount = 0;
  const sockets = new Set<Socket>();
  const accept = (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
    http.emit('connection', socket);
  };
  const servers = await Promise.all(
    addresses.map(async (address) => {
      const server = createServer(accept);
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, address, resolve));
      return server;
    }),
  );
  scope.after(() => {
    for (const server of servers) server.close();
    for (const socket of sockets) socket.destroy();
  });
  return {
    port,
    addresses,
    requests: () => requests,
    marked: (number) => marks.get(number) ?? 0,
    smuggled: (text) => [...names].some((name) => name === `/${text}` || name === text || name === `x-${text}`),
  };
}
