/**
 * What the controller tells the data plane: the records of the control socket, one JSON text each. Shared by both
 * sides, so it holds types and constants only.
 *
 * Keys: `c:ID` CertificateRecord · `a:ID` AuthorityRecord · `b:ID` BackendRecord · `l:NAME` ListenerRecord ·
 * `s:NAME` ServerNameRecord (SNI, per scope) · `h:SCOPE/HOST` HostRecord. Absent fields mean "none" or the default; empty lists and false are left out.
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
  /** Absent: the listener's, if it has one. */
  verify?: VerificationRecord;
}

/**
 * Authorities that clients' certificates must come from. The id is a hash of what the record holds, so that a record
 * never changes: whoever names it means exactly these.
 */
export interface AuthorityRecord {
  /** PEM. */
  certificates: string;
  /** Revocation lists, PEM. */
  revocations?: string;
}

/** What is asked of a client in the handshake. */
export interface VerificationRecord {
  /** Id of an AuthorityRecord. */
  authority: string;
  /** How many authorities may stand between the client's certificate and the trusted one, as nginx counts. */
  depth: number;
}

/** What a request needs of the client's certificate, as it was verified in the handshake. */
export interface ClientCertificateRecord {
  authority: string;
  mode: 'require' | 'optional' | 'optional-no-ca' | 'insecure-fallback';
  /** Regular expression on the subject's distinguished name (RFC 2253). */
  subjectPattern?: string;
  /** Where those are sent who are refused for their certificate. */
  errorUrl?: string;
  /** The backend gets the certificate itself, not only who it is about. */
  pass?: true;
}

/** Of an https listener that asks for client certificates; for hosts and SNI names that say nothing about it. */
export interface ListenerRecord {
  policy: string;
  verify: VerificationRecord;
  clientCertificate: ClientCertificateRecord;
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
  /** As in the ServerNameRecord of the same host: a connection made under another is refused with 421. */
  policy?: string;
  /** Absent: the listener's, if it has one. */
  clientCertificate?: ClientCertificateRecord;
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
  /** Group of connections and server name, where the named location is shared by several. */
  identity?: [string, string];
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
  /** Asked before the request goes on; whoever it doesn't let through gets its refusal. */
  auth?: AuthRecord;
  /** Copies that are sent when the request is done. */
  mirrors?: MirrorRecord[];
  accessLog?: false;
}

/** A service that is neither the route's backend nor seen by the client. */
export interface ServiceRecord {
  /** Id of the backend; plain HTTP/1.1 unless `tls`. */
  backend: string;
  /** HTTPS without verification, with this name, if any, in the handshake. */
  tls?: { name?: string };
}

/**
 * Texts marked with * may hold variables of the request, written `${name}`: those of REQUEST_VARIABLES, and `http_NAME`,
 * `cookie_NAME` and `arg_NAME` for a header, cookie or query parameter. A variable that isn't there is empty.
 */
export interface AuthRecord extends ServiceRecord {
  /** * Path and query as they stand in the request line. */
  path: string;
  /** Absent: the host that the client asked for. */
  host?: string;
  /** Absent: GET. */
  method?: string;
  /** Names of the client's headers that the service gets; absent: all. */
  forwardHeaders?: string[];
  /** * Sent besides; takes the place of what weir sends under that name. */
  setHeaders?: [string, string][];
  /** Names of the service's headers that the backend gets; a client's own of these names never pass. */
  responseHeaders?: string[];
  /** The service's cookies are added also to answers that are errors. */
  alwaysSetCookie?: true;
  /** Where a client is sent on 401; `url` *, with the address that it wanted in `parameter`. */
  signIn?: { url: string; parameter: string };
  /** * X-Auth-Request-Redirect; absent: path and query. */
  requestRedirect?: string;
  /** Answers are kept under `key` *; statuses and seconds, the first that names the status counts. */
  cache?: { key: string; durations: [number[], number][] };
  /** Absent: each request has a connection of its own. */
  keepAlive?: [connections: number, requests: number, idleSeconds: number];
}

export interface MirrorRecord extends ServiceRecord {
  /** Share of the requests that are copied; absent: all. */
  fraction?: [numerator: number, denominator: number];
  /** Absent: as the backend gets it. */
  host?: string;
  /** * Path and query; absent: the client's. */
  path?: string;
  withoutBody?: true;
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
  counts: DataPlaneCounts;
  /** Whether each answer is the last of its connection. */
  lameDuck: boolean;
}

/** Of all workers since nginx was started. */
export interface DataPlaneCounts {
  /** Requests that got 503 because their auth service gave no answer, or one that is neither yes nor no. */
  authUndecided: number;
  /** Copies of requests that no mirror got whole. */
  mirrorLost: number;
}

/** As in src/model/request-variable.ts. */
export const REQUEST_VARIABLES = [
  'host',
  'http_host',
  'scheme',
  'request_method',
  'request_uri',
  'escaped_request_uri',
  'uri',
  'args',
  'is_args',
  'remote_addr',
  'remote_user',
  'request_id',
];

export const MAX_CALL_BYTES = 262_144;
export const MAX_RECORD_BYTES = 1_048_576;
/** PCRE compiles to at most 64 KiB of code, so that a longer pattern could not compile anyway. */
export const MAX_PATTERN_BYTES = 65_536;
/** No request line is longer: nginx's buffers for it have 16 KiB. */
export const MAX_PATH_BYTES = 16_384;
/** What Lua ends a request with that nginx is to answer with 421 and the end of its connection; no client ever sees it. */
export const LEAVE_STATUS = 498;

/** Where requests go whose answer is to be the last of their connection; nothing but the router leads there. */
export const CLOSING_LOCATION = '@weir_closing';

/** Groups of kept-alive connections that a worker with many backends spreads them over. */
export const SPREAD_GROUPS = 64;
/** What their names end with; the number stands first because nginx compares names from their beginning. */
export const SPREAD_GROUP = '_weir_http';
