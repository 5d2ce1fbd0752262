import {
  type Agent as PlainAgent,
  type IncomingHttpHeaders,
  type RequestOptions as PlainRequestOptions,
  request as plainRequest,
} from 'node:http';
import { type Agent, request as tlsRequest } from 'node:https';
import type { ConnectionOptions } from 'node:tls';
import type { Socket } from 'node:net';
import { readBody } from '../backends/echo-backend.ts';

/** `cert` and `key` (PEM) are the client's own. */
export interface TlsOptions
  extends Pick<ConnectionOptions, 'cert' | 'key' | 'minVersion' | 'maxVersion' | 'session' | 'ciphers'> {
  /** Sent as SNI; absent: the host; '': none. */
  readonly servername?: string;
  /** Authorities to trust (PEM). Absent: the certificate isn't verified. */
  readonly ca?: string;
}

export interface RequestOptions {
  readonly port: number;
  readonly address?: string;
  /** The client's own address. */
  readonly from?: string;
  /** Host header. */
  readonly host?: string;
  readonly path?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Buffer;
  readonly tls?: TlsOptions | true;
  /** Absent: a new connection for this request. */
  readonly agent?: Agent | PlainAgent;
  readonly timeoutMs?: number;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly rawHeaders: readonly string[];
  readonly body: string;
  /** The body parsed; throws an error that shows it when it isn't JSON. */
  json<T = Record<string, unknown>>(): T;
}

type RequestTarget = Required<
  Pick<PlainRequestOptions, 'host' | 'port' | 'path' | 'method' | 'headers' | 'setHost'>
> & { readonly agent: PlainAgent | Agent | false; readonly localAddress?: string };

const CLOSED: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE']);

/** Those on which an answer came. (`reusedSocket` is false for a request that waited for one of an agent's to be free.) */
const used = new WeakSet<Socket>();
const isUsed = (socket: Socket | null) => socket !== null && used.has(socket);

/**
 * A kept connection was closed by the other side before any of the answer came: it may have been closed while it was
 * idle, and the request have crossed that on its way. Clients send it again on another.
 */
export class ClosedWhileIdle extends Error {
  constructor(cause: Error) {
    super(`the kept connection was closed: ${cause.message}`, { cause });
  }
}

/** One HTTP/1.1 request, on a connection of its own unless an agent is given. Redirects aren't followed. */
export function request(options: RequestOptions): Promise<Reply> {
  const { port, host = 'localhost', path = '/', method = 'GET', timeoutMs = 10_000 } = options;
  const target: RequestTarget = {
    host: options.address ?? '127.0.0.1',
    port,
    path,
    method,
    headers: { Host: host, ...options.headers } as Record<string, string | string[]>,
    setHost: false,
    agent: options.agent ?? false,
    ...(options.from === undefined ? {} : { localAddress: options.from }),
  };
  return new Promise((resolve, reject) => {
    const sent =
      options.tls === undefined ? plainRequest(target) : tlsRequest({ ...target, ...tlsSettings(options.tls, host) });
    sent.setTimeout(timeoutMs, () =>
      sent.destroy(new Error(`no answer within ${timeoutMs} ms: ${method} ${host}${path}`)),
    );
    sent.on('error', (error: NodeJS.ErrnoException) =>
      reject(isUsed(sent.socket) && CLOSED.has(error.code ?? '') ? new ClosedWhileIdle(error) : error),
    );
    sent.on('response', (response) => {
      if (sent.socket !== null) used.add(sent.socket);
      const { statusCode = 0, headers, rawHeaders } = response;
      readBody(response)
        .then((body) => makeReply(statusCode, headers, rawHeaders, body))
        .then(resolve, reject);
    });
    sent.end(options.body);
  });
}

export function makeReply(
  status: number,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  body: string,
): Reply {
  return {
    status,
    headers,
    rawHeaders,
    body,
    json<T>() {
      try {
        return JSON.parse(body) as T;
      } catch {
        throw new Error(`status ${status} with a body that is not JSON: ${body.slice(0, 500)}`);
      }
    },
  };
}

/** Options of node:tls for a client of a test. */
export function tlsSettings(
  tls: TlsOptions | true,
  host: string,
): ConnectionOptions & { readonly servername: string; readonly rejectUnauthorized: boolean } {
  const { servername = host.replace(/:\d+$/, ''), ca, ...own } = tls === true ? ({} as TlsOptions) : tls;
  return { ...own, servername, rejectUnauthorized: ca !== undefined, ...(ca === undefined ? {} : { ca }) };
}
