import type { Backend, BackendTls, Balancing } from '../../model/backend.ts';
import type { ClientCertificatePolicy } from '../../model/client-certificate.ts';
import type { ExternalAuth, Filter } from '../../model/filter.ts';
import type { SessionAffinity } from '../../model/session-affinity.ts';
import type { Buffering, Retry, Timeouts } from '../../model/route.ts';
import type { ValueMatch } from '../../model/match.ts';
import type { ServiceUrl } from './annotations/values/service-url.ts';

/** What the annotations of one Ingress say, in the model's terms. Made by the annotation families, used by the translator. */
export interface IngressSettings {
  /** Redirect plain HTTP to HTTPS: where the host has TLS (`tls`), always, or never. */
  httpsRedirect: 'tls' | 'always' | 'never';
  useRegex: boolean;
  /** Template with `$1`…`$9`; also turns regular expressions on for the host. Never empty. */
  rewriteTarget?: string;
  /** Only together with `rewriteTarget`. */
  forwardedPrefix?: string;
  backendProtocol: Backend['protocol'];
  /** Only where the protocol has TLS. */
  backendTls?: BackendTlsSettings;
  /** Asked of the clients of the whole host. */
  clientCertificate?: ClientCertificateSettings;
  /** Bytes; 0: no limit. */
  bodyLimit?: number;
  timeouts: Timeouts;
  retry?: Retry;
  buffering: Buffering;
  balancing?: Balancing;
  /** Without `path`, the cookie's path is the route's. */
  affinity?: SessionAffinity;
  /** Host header towards the backend. */
  upstreamHost?: string;
  /** `Connection` header towards the backend. */
  connectionHeader?: string;
  /** Absent: logged. */
  accessLog?: boolean;
  /** Use the Service's own address instead of its endpoints. */
  serviceUpstream: boolean;
  externalAuth?: ExternalAuthSettings;
  mirror?: MirrorSettings;
  /** Filters of the families that have no field of their own, in the order of the families. */
  filters: Filter[];
  /** Set: this Ingress is a canary, and only `balancing`, `affinity`, `serviceUpstream` and `closed` count besides. */
  canary?: CanarySettings;
  /**
   * Set by a key that restricts access and can't be honoured, or whose value can't be ignored: every route of this
   * Ingress answers 503. The key with its prefix (of several the one that says most), or `CLOSED_BY_FAULT`.
   */
  closed?: string;
}

/** As the model's external auth, with the service by its URL, and the field that names it. */
export interface ExternalAuthSettings {
  readonly url: ServiceUrl;
  readonly field: string;
  readonly auth: Omit<ExternalAuth, 'backend' | 'path' | 'host'>;
}

/** As the model's mirror, with the service by its URL, and the field that names it. */
export interface MirrorSettings {
  readonly url: ServiceUrl;
  readonly field: string;
  readonly mirror: Omit<Extract<Filter, { type: 'mirror' }>, 'backend'>;
}

/** As a backend's TLS, with the Secret by its name. */
export interface BackendTlsSettings
  extends Omit<BackendTls, 'authorities' | 'authoritiesFrom' | 'clientCertificate' | 'subjectAltNames'> {
  /** With or without its namespace, and the field that names it. */
  readonly secret?: { readonly name: string; readonly field: string };
}

/** As the model's policy, with the Secret by its name. */
export interface ClientCertificateSettings extends Omit<ClientCertificatePolicy, 'authorities' | 'revocations'> {
  /** With or without its namespace, and the field that names it. */
  readonly secret: { readonly name: string; readonly field: string };
}

/** `closed` of an Ingress that weir failed to read. */
export const CLOSED_BY_FAULT = 'fault';

export interface CanarySettings {
  header?: string;
  headerMatch?: ValueMatch;
  cookie?: string;
  /** 0 to `weightTotal`. */
  weight: number;
  weightTotal: number;
  followsAffinity: boolean;
}

/** What holds without any annotation: ingress-nginx' own defaults. Where a field is absent, the program's default holds. */
export function defaultSettings(): IngressSettings {
  return {
    httpsRedirect: 'tls',
    useRegex: false,
    backendProtocol: 'http',
    timeouts: {},
    buffering: {},
    serviceUpstream: false,
    filters: [],
  };
}
