import {
  type Agent as PlainAgent,
  type IncomingHttpHeaders,
  type RequestOptions as PlainRequestOptions,
  request as plainRequest,
} from 'node:http';
import { type Agent, request as tlsRequest } from 'node:https';
import { readBody } from '../backends/echo-backend.ts';

export interface TlsOptions {
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
    sent.on('error', reject);
    sent.on('response', (response) => {
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
): { servername: string; ca?: string; rejectUnauthorized: boolean } {
  const { servername = host.replace(/:\d+$/, ''), ca } = tls === true ? {} : tls;
  return { servername, rejectUnauthorized: ca !== undefined, ...(ca === undefined ? {} : { ca }) };
}
