/** Where clients may be sent: one weir, or a Service that stands for several. */
export interface LoadTarget {
  readonly address: string;
  readonly httpPort: number;
  readonly httpsPort: number;
}

/** Who sends what to whom. */
export interface LoadPlan {
  /** Host header and SNI name. */
  readonly host: string;
  readonly path?: string;
  /** Kept-alive HTTP/1.1 connections, each of which sends a request every `pauseMs` (from, to). */
  readonly kept?: { readonly connections: number; readonly pauseMs: readonly [number, number]; readonly tls?: boolean };
  /** Connections that are made for one request each. */
  readonly fresh?: { readonly perSecond: number };
  /** HTTP/2 connections over TLS, each of which sends a request every `pauseMs` (from, to). */
  readonly http2?: { readonly connections: number; readonly pauseMs: readonly [number, number] };
  /** WebSockets, which are opened at the start and stay. */
  readonly webSockets?: { readonly connections: number };
  /** Milliseconds until an answer that hasn't come counts as failed. */
  readonly timeoutMs?: number;
}
