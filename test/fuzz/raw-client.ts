import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';

export interface RawAnswer {
  /** Of each response, in their order. */
  readonly statuses: readonly number[];
  readonly bytes: Buffer;
  readonly closed: boolean;
}

export interface RawRequest {
  readonly port: number;
  /** In pieces that are sent one after the other. */
  readonly pieces: readonly (string | Buffer)[];
  readonly tls?: { readonly servername?: string; readonly alpn?: string };
  /** Close the connection right after the last piece. */
  readonly leaveAt?: 'once';
  /** Milliseconds without a byte after which nothing more is waited for, once there was an answer. */
  readonly quiet?: number;
  /** Asked when it is quiet: whether all has come that must. What has not is waited for a while. */
  readonly enough?: (answer: RawAnswer) => boolean;
}

/** Milliseconds for which an answer is waited for. Where nginx waits for more of the request, there is none. */
const PATIENCE = 3_000;

/** Sends bytes as they are, and takes what comes until the connection is closed or nothing more comes. */
export function sendRaw({ port, pieces, tls, leaveAt, quiet = 40, enough }: RawRequest): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let timer: NodeJS.Timeout | undefined;
    let done = false;
    const finish = (closed: boolean) => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      socket.destroy();
      resolve(answerOf(chunks, closed));
    };
    const began = Date.now();
    const look = () => {
      if (enough?.(answerOf(chunks, false)) !== false || Date.now() - began > PATIENCE) finish(false);
      else timer = setTimeout(look, quiet);
    };
    const wait = (time: number) => {
      clearTimeout(timer);
      timer = setTimeout(() => finish(false), time);
    };
    const target = { host: '127.0.0.1', port };
    const begin = () => {
      wait(PATIENCE);
      void sendPieces(socket, pieces, () => leaveAt === 'once' && finish(false));
    };
    const socket: Socket =
      tls === undefined
        ? connect(target, begin)
        : connectTls(
            {
              ...target,
              rejectUnauthorized: false,
              ALPNProtocols: [tls.alpn ?? 'http/1.1'],
              ...(tls.servername === undefined ? {} : { servername: tls.servername }),
            },
            begin,
          );
    wait(PATIENCE);
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      clearTimeout(timer);
      timer = setTimeout(look, quiet);
    });
    socket
      .on('error', () => finish(true))
      .on('end', () => finish(true))
      .on('close', () => finish(true));
  });
}

function answerOf(chunks: readonly Buffer[], closed: boolean): RawAnswer {
  const bytes = Buffer.concat(chunks);
  const heads = bytes.toString('latin1').matchAll(/HTTP\/1\.[01] (\d{3}) /g);
  return { statuses: [...heads].map(([, status]) => Number(status)), bytes, closed };
}

async function sendPieces(socket: Socket, pieces: readonly (string | Buffer)[], sent: () => void): Promise<void> {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    if (!socket.writable) return;
    socket.write(typeof piece === 'string' ? Buffer.from(piece, 'latin1') : piece);
  }
  sent();
}
