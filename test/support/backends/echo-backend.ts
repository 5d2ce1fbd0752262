import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { answerWebSocket } from '../../../examples/backends/answer-websocket.ts';
import type { KeyPair } from '../certificates.ts';
import type { Scope } from '../scope.ts';

/** What an echo backend answers: the request as it arrived. */
export interface Echo {
  readonly backend: string;
  readonly method: string;
  readonly url: string;
  readonly host: string;
  /** Lower-case names; a repeated header as node joins it. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly httpVersion: string;
  readonly body: string;
  readonly tls: boolean;
}

export interface Backend {
  readonly name: string;
  readonly address: string;
  readonly port: number;
  /** Requests that arrived so far. */
  readonly requests: () => number;
  /** Connections that were opened so far. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export interface BackendOptions {
  readonly name?: string;
  /** Loopback has many addresses: 127.0.0.2 and on are distinct endpoints. */
  readonly address?: string;
  readonly port?: number;
  readonly tls?: KeyPair;
  /** Answers instead of the echo. */
  readonly respond?: (request: IncomingMessage, response: ServerResponse, body: string) => void;
}

/** HTTP/1.1 (and with `tls`, HTTPS) backend that echoes requests as JSON and WebSocket messages as they are. */
export async function startBackend(scope: Scope, options: BackendOptions = {}): Promise<Backend> {
  const name = options.name ?? 'backend';
  const address = options.address ?? '127.0.0.1';
  const sockets = new Set<Socket>();
  let requests = 0;
  let connections = 0;
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const body = await readBody(request);
    if (options.respond === undefined) {
      response.setHeader('x-backend', name);
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(echoOf(name, request, body, options.tls !== undefined)));
    } else {
      options.respond(request, response, body);
    }
  };
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    answer(request, response).catch(() => response.destroy());
  };
  const server: Server =
    options.tls === undefined
      ? createServer({ keepAliveTimeout: 60_000 }, listener)
      : createTlsServer({ key: options.tls.key, cert: options.tls.certificate, keepAliveTimeout: 60_000 }, listener);
  server.on('upgrade', (request, socket) => {
    requests += 1;
    answerWebSocket({ name }, request, socket as Socket);
  });
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  await listen(server, options.port ?? 0, address);
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  scope.after(close);
  return { name, address, port, requests: () => requests, connections: () => connections, close };
}

/** `count` backends named `PREFIX-0`, `PREFIX-1`, …, each on an address of its own. */
export function startBackends(scope: Scope, count: number, prefix = 'backend'): Promise<Backend[]> {
  return Promise.all(
    Array.from({ length: count }, (_, index) =>
      startBackend(scope, {
        name: `${prefix}-${index}`,
        address: `127.0.${Math.floor(index / 200)}.${(index % 200) + 1}`,
      }),
    ),
  );
}

export function echoOf(name: string, request: IncomingMessage, body: string, tls: boolean): Echo {
  return {
    backend: name,
    method: request.method ?? '',
    url: request.url ?? '',
    host: request.headers.host ?? '',
    headers: request.headers,
    httpVersion: request.httpVersion,
    body,
    tls,
  };
}

export async function readBody(stream: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

export function listen(
  server: {
    listen(port: number, address: string, done: () => void): unknown;
    once(event: 'error', f: (error: Error) => void): unknown;
  },
  port: number,
  address: string,
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, resolve);
  });
}
