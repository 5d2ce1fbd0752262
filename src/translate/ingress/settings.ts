import type { Balancing, Backend } from '../../model/backend.ts';
import type { Filter } from '../../model/filter.ts';
import type { SessionAffinity } from '../../model/session-affinity.ts';
import type { Buffering, Retry, Timeouts } from '../../model/route.ts';
import type { ValueMatch } from '../../model/match.ts';

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
