export interface KubeRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path on the API server, encoded: see `resourcePath`. */
  readonly path: string;
  /** Parameters of the query; undefined ones are left out. */
  readonly query?: Readonly<Record<string, string | number | boolean | undefined>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Default `application/json`; patches: `application/apply-patch+yaml` (JSON is YAML), `application/merge-patch+json`. */
  readonly contentType?: string;
  readonly signal?: AbortSignal;
  /** Milliseconds until the answer must be complete. Default 30,000. Streams: until the head of the answer. */
  readonly timeout?: number;
}

/**
 * Speaks to one Kubernetes API server as one user: credentials, TLS, JSON. It does not retry; who asks knows whether that is safe.
 *
 * Every failure is a `KubeError` (kube-error.ts): the server's answer with its status and reason, or no answer at all.
 */
export interface KubeClient {
  /** URL of the server, for messages. */
  readonly server: string;
  /** The answer's JSON. */
  request(request: KubeRequest): Promise<unknown>;
  /**
   * The JSON documents of a watch, one a line, as they come. Resolves when the answer's head (200) is there. The iteration ends
   * when the server ends the answer, and throws a `KubeError` when the connection breaks or a line is not JSON.
   * Stopping the iteration, or the signal, closes the connection.
   */
  stream(request: KubeRequest): Promise<AsyncIterable<unknown>>;
  /** Closes idle connections and ends what is under way. */
  close(): Promise<void>;
}
