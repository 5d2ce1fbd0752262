import type { Dispatcher } from 'undici';
import { weirVersion } from '../lib/weir-version.ts';
import { boundedBody } from './client/bounded-body.ts';
import { jsonLines } from './client/json-lines.ts';
import { type ConnectionPools, KubeConnections } from './client/kube-connections.ts';
import { Patience } from './client/patience.ts';
import { refusal } from './client/refusal.ts';
import { unreachable } from './client/unreachable.ts';
import { CredentialSource, type CredentialSourceOptions } from './credentials/credential-source.ts';
import type { KubeClient, KubeRequest } from './kube-client.ts';
import type { KubeConfig } from './kube-config.ts';

const DEFAULT_TIMEOUT_MS = 30_000;
/** An error is a Status object of a few hundred bytes. */
const MOST_ERROR_BYTES = 64 * 1024;
/** A page of 500 Secrets that are as large as Secrets get. */
const MOST_BODY_BYTES = 500 * 1024 * 1024;
/** etcd takes objects of 1.5 MiB; JSON may be longer than what is stored. */
const MOST_LINE_BYTES = 16 * 1024 * 1024;

/** A client of the configuration's API server, as its user. Opens no connection before the first request. */
export function openKubeClient(config: KubeConfig, options: CredentialSourceOptions = {}): KubeClient {
  return new HttpKubeClient(config, options);
}

class HttpKubeClient implements KubeClient {
  readonly server: string;
  readonly #basePath: string;
  readonly #source: CredentialSource;
  readonly #connections: KubeConnections;
  readonly #userAgent = `weir/${weirVersion()}`;

  constructor(config: KubeConfig, options: CredentialSourceOptions) {
    this.server = config.cluster.server;
    this.#basePath = new URL(this.server).pathname.replace(/\/+$/, '');
    this.#source = new CredentialSource(config, options);
    this.#connections = new KubeConnections(config.cluster);
  }

  async request(request: KubeRequest): Promise<unknown> {
    const patience = new Patience(request.timeout ?? DEFAULT_TIMEOUT_MS, request.signal);
    try {
      const { body } = await this.#ask(request, 'requests', patience);
      const text = await boundedBody(body, MOST_BODY_BYTES);
      return text === '' ? undefined : JSON.parse(text);
    } catch (error) {
      throw unreachable(request, this.server, patience.reason ?? error);
    } finally {
      patience.over();
    }
  }

  async stream(request: KubeRequest): Promise<AsyncIterable<unknown>> {
    const patience = new Patience(request.timeout ?? DEFAULT_TIMEOUT_MS, request.signal);
    try {
      const { body } = await this.#ask(request, 'watches', patience);
      patience.answered();
      return this.#documents(request, body, patience);
    } catch (error) {
      patience.over();
      throw unreachable(request, this.server, patience.reason ?? error);
    }
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  async *#documents(
    request: KubeRequest,
    body: Dispatcher.ResponseData['body'],
    patience: Patience,
  ): AsyncGenerator<unknown> {
    try {
      for await (const documents of jsonLines(body, MOST_LINE_BYTES)) yield* documents;
    } catch (error) {
      throw unreachable(request, this.server, patience.reason ?? error);
    } finally {
      patience.over();
      body.destroy();
    }
  }

  /** The head of a successful answer. Credentials that are refused are read anew, and the request is sent once more: it wasn't done. */
  async #ask(request: KubeRequest, kind: keyof ConnectionPools, patience: Patience): Promise<Dispatcher.ResponseData> {
    for (let again = false; ; again = true) {
      const answer = await this.#send(request, kind, patience);
      const { statusCode, headers, body } = answer;
      if (statusCode >= 200 && statusCode < 300) return answer;
      const text = await boundedBody(body, MOST_ERROR_BYTES);
      if (statusCode === 401 && this.#source.refused() && !again) continue;
      throw refusal(request, statusCode, text, headers['retry-after']);
    }
  }

  async #send(request: KubeRequest, kind: keyof ConnectionPools, patience: Patience): Promise<Dispatcher.ResponseData> {
    const [credentials, authority] = await Promise.all([this.#source.credentials(), this.#source.authority()]);
    patience.signal.throwIfAborted();
    const { method, path, query = {}, body, contentType = 'application/json' } = request;
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) if (value !== undefined) parameters.append(name, String(value));
    const text = parameters.toString();
    return this.#connections.poolsFor(credentials, authority)[kind].request({
      method,
      path: `${this.#basePath}${path}${text === '' ? '' : `?${text}`}`,
      signal: patience.signal,
      headers: {
        accept: 'application/json',
        'user-agent': this.#userAgent,
        ...(body === undefined ? {} : { 'content-type': contentType }),
        ...(credentials.token === undefined ? {} : { authorization: `Bearer ${credentials.token.reveal().trim()}` }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  }
}
