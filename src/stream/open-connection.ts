import { stat } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { connect as connectTls, type PeerCertificate } from 'node:tls';
import { CodedError } from '../lib/coded-error.ts';
import type { StreamAddress } from './stream-address.ts';
import { CONTROLLER_NAME, type CredentialSource } from './tls/credentials.ts';

/** Milliseconds until a connection must stand, its handshake included. */
const PATIENCE = 5000;

/** Connects to a controller. Rejects with a coded error where nobody is there, or not the one who should be. */
export async function openConnection(
  address: StreamAddress,
  credentials: CredentialSource | undefined,
  signal: AbortSignal,
): Promise<Socket> {
  if (address.kind === 'unix') {
    await requireOwn(dirname(address.path));
    return connected(connect({ path: address.path }), 'connect', signal);
  }
  if (credentials === undefined) {
    throw new CodedError(
      'stream-needs-tls',
      `${address.host}:${address.port} is asked under TLS, and there are no certificates.`,
      {
        remedy: 'Give --model-tls-dir.',
      },
    );
  }
  const { authorities, certificate, key } = credentials.current();
  const socket = connectTls({
    host: address.host,
    port: address.port,
    ca: authorities,
    cert: certificate,
    key: key.reveal(),
    minVersion: 'TLSv1.3',
    servername: CONTROLLER_NAME,
    checkServerIdentity: requireController,
  });
  return connected(socket, 'secureConnect', signal);
}

/** By name and nothing else, since addresses of controllers come and go. */
function requireController(_host: string, { subjectaltname: names }: PeerCertificate): Error | undefined {
  if (names === `DNS:${CONTROLLER_NAME}`) return undefined;
  return new CodedError('stream-untrusted', `the certificate is not a controller's but for ${names ?? 'no name'}`);
}

/** Somebody else could answer in a directory that is open to others. */
async function requireOwn(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  if ((uid === process.getuid?.() || uid === 0) && (mode & 0o022) === 0) return;
  throw new CodedError('stream-directory-open', `others may write to ${directory}`, {
    remedy: 'Run controller and proxy as one user; the controller makes the directory with mode 0700.',
  });
}

function connected(socket: Socket, event: 'connect' | 'secureConnect', signal: AbortSignal): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const give = (error: Error) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.destroy();
      reject(error);
    };
    const stop = () => give(new CodedError('stream-ended', 'the proxy stops'));
    const timer = setTimeout(() => give(new CodedError('stream-silent', 'no answer within 5 s')), PATIENCE);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('error', give);
    socket.once(event, () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', stop);
      socket.off('error', give);
      // Until a channel has taken the socket over.
      socket.on('error', () => undefined);
      resolve(socket);
    });
  });
}
