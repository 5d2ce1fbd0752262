import { createServer, type Server } from 'node:https';
import { createSecureServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { KeyPair } from '../certificates.ts';
import type { Scope } from '../scope.ts';
import { listen } from './echo-backend.ts';

/** How one request reached the backend: which connection, and what TLS told of the proxy behind it. */
export interface Arrival {
  /** In the order in which connections came, from 1. */
  readonly connection: number;
  /** Name that was sent (SNI); '' for none. */
  readonly serverName: string;
  /** Common name of the client's certificate; '' for none. */
  readonly client: string;
  readonly resumed: boolean;
  readonly protocol: string;
  readonly cipher: string;
}

export interface IdentityBackend {
  readonly address: string;
  readonly port: number;
  readonly arrivals: readonly Arrival[];
  /** TLS connections that were established so far, with or without a request. */
  readonly connections: () => number;
}

export interface IdentityBackendOptions {
  readonly pair: KeyPair;
  readonly http2?: boolean;
}

/**
 * A backend over TLS that asks for a client certificate, takes every one and none, and answers with the arrival as JSON.
 * It makes sessions (and tickets) as freely as it can, so that a proxy may resume them if it wants to.
 */
export async function startIdentityBackend(
  scope: Scope,
  { pair, http2 = false }: IdentityBackendOptions,
): Promise<IdentityBackend> {
  const arrivals: Arrival[] = [];
  /** By the proxy's port, since HTTP/2 shows its socket only through a stand-in. */
  const numbers = new Map<number, number>();
  const sockets = new Set<Socket>();
  let connections = 0;
  const options = { key: pair.key, cert: pair.certificate, requestCert: true, rejectUnauthorized: false };
  const arrive = (socket: TLSSocket): string => {
    const certificate = socket.getPeerCertificate();
    const arrival: Arrival = {
      connection: numbers.get(socket.remotePort ?? 0) ?? 0,
      serverName: typeof socket.servername === 'string' ? socket.servername : '',
      client: String(certificate.subject?.CN ?? ''),
      resumed: socket.isSessionReused(),
      protocol: socket.getProtocol() ?? '',
      cipher: socket.getCipher().standardName,
    };
    arrivals.push(arrival);
    return JSON.stringify(arrival);
  };
  const server: Server | ReturnType<typeof createSecureServer> = http2
    ? createSecureServer(options).on('stream', (stream: ServerHttp2Stream) => {
        stream.respond({ ':status': 200, 'content-type': 'application/json' });
        stream.end(arrive((stream.session as unknown as { socket: TLSSocket }).socket));
      })
    : createServer({ ...options, keepAliveTimeout: 60_000 }, (request, response) => {
        request.resume().on('end', () => response.end(arrive(request.socket as TLSSocket)));
      });
  server.on('secureConnection', (socket: TLSSocket) => {
    connections += 1;
    numbers.set(socket.remotePort ?? 0, connections);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  // Who refuses the certificate ends the handshake, which is what some tests are about.
  server.on('tlsClientError', () => undefined);
  await listen(server, 0, '127.0.0.1');
  scope.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return {
    address: '127.0.0.1',
    port: (server.address() as AddressInfo).port,
    arrivals,
    connections: () => connections,
  };
}
