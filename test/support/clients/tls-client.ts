import { X509Certificate } from 'node:crypto';
import { connect, type SecureContextOptions } from 'node:tls';

export interface Handshake {
  readonly certificate: X509Certificate;
  readonly protocol: string;
  readonly alpn: string | false;
  readonly resumed: boolean;
  readonly session: Buffer | undefined;
}

export interface HandshakeOptions
  extends Pick<SecureContextOptions, 'minVersion' | 'maxVersion' | 'sigalgs' | 'cert' | 'key'> {
  readonly address?: string;
  /** Absent: no SNI. */
  readonly servername?: string;
  readonly alpn?: readonly string[];
  readonly session?: Buffer;
}

/** Does a TLS handshake and closes: which certificate is shown to whom. Rejects when the handshake fails. */
export function handshake(port: number, options: HandshakeOptions = {}): Promise<Handshake> {
  const { address = '127.0.0.1', servername, alpn, session, ...secure } = options;
  return new Promise((resolve, reject) => {
    let ticket: Buffer | undefined;
    const socket = connect(
      {
        host: address,
        port,
        rejectUnauthorized: false,
        ...(servername === undefined ? {} : { servername }),
        ...(alpn === undefined ? {} : { ALPNProtocols: [...alpn] }),
        ...(session === undefined ? {} : { session }),
        ...secure,
      },
      () => {
        const resumed = socket.isSessionReused();
        const { raw } = socket.getPeerCertificate();
        const protocol = socket.getProtocol() ?? '';
        const finish = () => {
          socket.destroy();
          const certificate = new X509Certificate(raw);
          resolve({ certificate, protocol, alpn: socket.alpnProtocol ?? false, resumed, session: ticket });
        };
        // TLS 1.3 sends its tickets after the handshake.
        if (ticket === undefined) setTimeout(finish, 30);
        else finish();
      },
    );
    socket.on('session', (received) => {
      ticket = received;
    });
    socket.setTimeout(10_000, () => socket.destroy(new Error('TLS handshake: no answer within 10 s')));
    socket.once('error', reject);
  });
}
