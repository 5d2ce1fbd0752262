import { constants } from 'node:crypto';
import { chmod, mkdir, rm, stat } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { createServer as createTlsServer, type TlsOptions, type TLSSocket } from 'node:tls';
import { CodedError } from '../lib/coded-error.ts';
import type { StreamAddress } from './stream-address.ts';
import { type CredentialSource, PROXY_NAME } from './tls/credentials.ts';

/** Milliseconds that a handshake may take. */
const HANDSHAKE = 10_000;
/** Milliseconds that what was sent may take to leave at the end. */
const FAREWELL = 1000;
/** Milliseconds; about 24 days. */
const LONGEST_TIMER = 2 ** 31 - 1;

export interface ListenerOptions {
  readonly address: StreamAddress;
  /** Needed for TCP. */
  readonly credentials: CredentialSource | undefined;
  /** `peer`: where it comes from, for people. */
  readonly onConnection: (socket: Socket, peer: string) => void;
  /** Somebody was turned away before a word was said. */
  readonly onRefused: (peer: string, error: Error) => void;
}

export interface Listener {
  close(): Promise<void>;
}

/**
 * Listens for proxies. On TCP only under mutual TLS; on a unix socket only in a directory that nobody else may enter.
 * Rejects with a coded error that names what to change.
 */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  return options.address.kind === 'unix' ? openUnix(options, options.address.path) : openTls(options, options.address);
}

async function openUnix({ onConnection }: ListenerOptions, path: string): Promise<Listener> {
  await preparePrivateDirectory(dirname(path));
  await removeStale(path);
  const server = createServer((socket) => onConnection(socket, 'this machine'));
  const close = closing(server);
  await listening(server, { path }, `unix:${path}`);
  await chmod(path, 0o600);
  return { close };
}

async function openTls(options: ListenerOptions, { host, port }: StreamAddress & { kind: 'tcp' }): Promise<Listener> {
  const { credentials, onConnection, onRefused } = options;
  if (credentials === undefined) {
    throw new CodedError(
      'stream-needs-tls',
      `${host}:${port} is open to other machines, and there are no certificates.`,
      {
        remedy: 'Give --model-tls-dir or --model-tls-secret, or listen on unix:PATH.',
      },
    );
  }
  const server = createTlsServer({ ...tlsOptions(credentials), handshakeTimeout: HANDSHAKE });
  server.on('secureConnection', (socket: TLSSocket) => {
    const peer = `${socket.remoteAddress ?? '?'}:${socket.remotePort ?? '?'}`;
    const names = socket.getPeerCertificate().subjectaltname ?? '';
    if (names === `DNS:${PROXY_NAME}`) {
      endWith(socket, socket.getPeerCertificate().valid_to);
      return onConnection(socket, peer);
    }
    onRefused(peer, new Error(`its certificate is not a proxy's but for ${names || 'no name'}`));
    return socket.destroy();
  });
  server.on('tlsClientError', (error, socket) => onRefused(`${socket.remoteAddress ?? '?'}`, error));
  credentials.onChange(() => server.setSecureContext(tlsOptions(credentials)));
  const close = closing(server);
  await listening(server, { host, port }, `${host}:${port}`);
  return { close };
}

/** A connection is worth no more than the certificate that opened it; a new one costs its proxy nothing. */
function endWith(socket: TLSSocket, validTo: string): void {
  const life = Math.min(LONGEST_TIMER, Date.parse(validTo) - Date.now());
  const timer = setTimeout(() => socket.destroy(), life).unref();
  socket.once('close', () => clearTimeout(timer));
}

function tlsOptions(credentials: CredentialSource): TlsOptions {
  const { authorities, certificate, key } = credentials.current();
  return {
    ca: authorities,
    cert: certificate,
    key: key.reveal(),
    requestCert: true,
    rejectUnauthorized: true,
    minVersion: 'TLSv1.3',
    // Who comes again shows its certificate again.
    secureOptions: constants.SSL_OP_NO_TICKET,
  };
}

/** Makes the directory with mode 0700, or finds it to be one's own and closed to others. */
export async function preparePrivateDirectory(directory: string): Promise<void> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const { uid, mode } = await stat(directory);
  if (uid === process.getuid?.() && (mode & 0o077) === 0) return;
  throw new CodedError('stream-directory-open', `${directory} is not this user's alone (mode 0700).`, {
    remedy: 'Give a socket in a directory that weir makes itself: unix:/run/weir/model/socket.',
  });
}

/** A socket file that nobody listens on is left over from a process that was killed. */
async function removeStale(path: string): Promise<void> {
  const taken = await new Promise<boolean>((resolve) => {
    const probe = connect({ path });
    probe.once('connect', () => resolve(true)).once('error', () => resolve(false));
    probe.once('connect', () => probe.destroy());
  });
  if (taken) {
    throw new CodedError('stream-address-taken', `another process listens on unix:${path}.`, {
      remedy: 'Give another path with --model-listen.',
    });
  }
  await rm(path, { force: true });
}

function listening(server: Server, where: object, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        new CodedError('stream-address-taken', `the model stream can't listen on ${text} (${error.code}).`, {
          remedy: 'Give another address with --model-listen.',
          cause: error,
        }),
      ),
    );
    server.listen(where, () => resolve());
  });
}

/** Whoever is still at its handshake is not waited for. */
function closing(server: Server): () => Promise<void> {
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const patience = setTimeout(() => {
      for (const socket of open) socket.destroy();
    }, FAREWELL);
    await closed;
    clearTimeout(patience);
  };
}
