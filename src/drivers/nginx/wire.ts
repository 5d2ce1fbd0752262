/**
 * What the controller tells the data plane: the records of the control socket, one JSON text each. Shared by both
 * sides, so it holds types and constants only.
 *
 * Keys: `c:ID` CertificateRecord · `b:ID` BackendRecord · `s:NAME` ServerNameRecord (SNI, per scope) ·
 * `h:SCOPE/HOST` HostRecord. Absent fields mean "none" or the default; empty lists and false are left out.
 */

export interface CertificateRecord {
  /** PEM. */
  chain: string;
  key: string;
  type: 'rsa' | 'ec' | 'ed25519';
}

/** `s:a.example`, `s:*.example`, `s:**.example`; `s:*` is the default certificate. Prefixed with the scope: `s:SCOPE/NAME`. */
export interface ServerNameRecord {
  certificates: string[];
  /** Hash of everything that makes TLS at this name differ from another; sessions are kept apart by it. */
  policy?: string;
}

export interface BackendRecord {
  balance: 'rr' | 'lc' | 'ewma' | 'hash';
  hash?: HashPartRecord[];
  subset?: number;
  /** Address (IPv6 without brackets), port, weight, and 1 where draining. */
  endpoints: [string, number, number, (0 | 1)?][];
}

export interface HashPartRecord {
  kind: 'text' | 'path' | 'uri' | 'host' | 'client-address' | 'header' | 'cookie' | 'query';
  name?: string;
  value?: string;
}

export interface HostRecord {
  /** First match wins. */
  routes: RouteRecord[];
  policy?: string;
}

export interface PathRecord {
  kind: 'exact' | 'prefix' | 'text-prefix' | 'regex';
  value: string;
  ignoreCase?: boolean;
}

export interface ConditionRecord {
  name: string;
  kind: 'exact' | 'regex' | 'present';
  value?: string;
}

export interface RewriteRecord {
  kind: 'full' | 'prefix' | 'captures';
  value: string;
}

export interface RouteRecord {
  /** For the access log: `Ingress/shop/web spec.rules[0].http.paths[0]`. */
  origin: string;
  path: PathRecord;
  method?: string;
  headers?: ConditionRecord[];
  query?: ConditionRecord[];
  httpsRedirect?: { status: number; port?: number };
  redirect?: RedirectRecord;
  /** Answer here instead of forwarding. */
  respond?: { status: number; reason: string };
  rewrite?: RewriteRecord;
  forwardedPrefix?: string;
  /** Host header towards the backend. */
  host?: string;
  requestHeaders?: HeaderChangeRecord;
  responseHeaders?: HeaderChangeRecord;
  /** Bytes; absent: no limit. */
  bodyLimit?: number;
  /** Named location that serves requests of this route; absent: `location /` itself. */
  profile?: string;
  /** Named location for bodies whose length isn't told beforehand. With `bodyLimit` and without this they get 411. */
  boundedProfile?: string;
  /** Seconds: connect, send, read. */
  timeouts?: [number, number, number];
  tries?: number;
  /** The one kind of failure after which a request is tried again; absent: any. */
  retryOnly?: 'error' | 'timeout';
  retryTimeout?: number;
  affinity?: AffinityRecord;
  connection?: string;
  /** Backend id and weight; weights of 0 are left out. */
  backends?: [string, number][];
  canaries?: CanaryRecord[];
  accessLog?: false;
}

export interface RedirectRecord {
  status: number;
  scheme?: string;
  host?: string;
  port?: number;
  path?: RewriteRecord;
  url?: string;
  /** The request's query goes behind `url`. */
  keepQuery?: true;
  onlyPath?: string;
}

export interface HeaderChangeRecord {
  set?: [string, string][];
  add?: [string, string][];
  remove?: string[];
}

export interface AffinityRecord {
  name: string;
  mode: 'balanced' | 'persistent';
  /** Everything after `name=value`, ready to append: `; Path=/; HttpOnly`. */
  attributes: string;
  expires?: number;
  secure?: boolean;
  changeOnFailure?: boolean;
}

export interface CanaryRecord {
  backend: string;
  header?: string;
  headerMatch?: { kind: 'exact' | 'regex'; value: string };
  cookie?: string;
  weight: number;
  total: number;
  /** A client that has a session with one side stays there whatever the weight. */
  sticky?: boolean;
  origin: string;
}

/** Answer of `GET /v1/state`, and of a refused apply. */
export interface DataPlaneState {
  /** Id of the configuration that the answering worker runs under, and of the program it loaded. */
  conf: string;
  epoch: string;
  generation: number;
  pid: number;
  /** Bytes free and in all, of the data zone and of the certificate zone. */
  free: [number, number];
  capacity: [number, number];
  /** Records that could not be used, with why. */
  bad: { key: string; error: string }[];
}

export const MAX_CALL_BYTES = 262_144;
export const MAX_RECORD_BYTES = 1_048_576;
/** PCRE compiles to at most 64 KiB of code, so that a longer pattern could not compile anyway. */
export const MAX_PATTERN_BYTES = 65_536;
/** No request line is longer: nginx's buffers for it have 16 KiB. */
export const MAX_PATH_BYTES = 16_384;
