import {
  createSecureServer,
  createServer,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
  type IncomingHttpHeaders,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { KeyPair } from '../certificates.ts';
import type { Scope } from '../scope.ts';
import { type Backend, type Echo, listen, readBody } from './echo-backend.ts';

export interface Http2BackendOptions {
  readonly name?: string;
  readonly address?: string;
  /** Present: HTTP/2 over TLS. Absent: h2c with prior knowledge. */
  readonly tls?: KeyPair;
}

/**
 * HTTP/2 backend. Requests of content type application/grpc are answered as a unary call: the message comes back as it
 * was sent, then the trailers `grpc-status: 0`. All others get the JSON echo.
 */
export async function startHttp2Backend(scope: Scope, options: Http2BackendOptions = {}): Promise<Backend> {
  const name = options.name ?? 'h2-backend';
  const address = options.address ?? '127.0.0.1';
  const sessions = new Set<ServerHttp2Session>();
  let requests = 0;
  let connections = 0;
  const server: Http2Server =
    options.tls === undefined
      ? createServer()
      : createSecureServer({ key: options.tls.key, cert: options.tls.certificate });
  server.on('session', (session: ServerHttp2Session) => {
    connections += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    requests += 1;
    stream.on('error', () => undefined);
    const grpc = headers['content-type']?.startsWith('application/grpc') === true;
    const answer = grpc ? answerGrpc(name, stream) : answerEcho(name, stream, headers, options.tls !== undefined);
    answer.catch(() => stream.close());
  });
  await listen(server, 0, address);
  const { port } = server.address() as AddressInfo;
  const close = () =>
    new Promise<void>((resolve) => {
      if (!server.listening) return resolve();
      server.close(() => resolve());
      for (const session of sessions) session.destroy();
    });
  scope.after(close);
  return { name, address, port, requests: () => requests, connections: () => connections, close };
}

async function answerGrpc(name: string, stream: ServerHttp2Stream): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'x-backend': name }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat(chunks));
}

async function answerEcho(
  name: string,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  tls: boolean,
): Promise<void> {
  const body = await readBody(stream);
  const echo: Echo = {
    backend: name,
    method: headers[':method'] ?? '',
    url: headers[':path'] ?? '',
    host: headers[':authority'] ?? headers.host ?? '',
    headers: headers as Record<string, string>,
    httpVersion: '2.0',
    body,
    tls,
  };
  stream.respond({ ':status': 200, 'content-type': 'application/json', 'x-backend': name });
  stream.end(JSON.stringify(echo));
}
