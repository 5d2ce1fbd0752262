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
  /** Template with `$1`…; also turns regular expressions on for the host. */
  rewriteTarget?: string;
  forwardedPrefix?: string;
  backendProtocol: Backend['protocol'];
  bodyLimit?: number;
  timeouts: Timeouts;
  retry?: Retry;
  buffering: Buffering;
  balancing?: Balancing;
  affinity?: SessionAffinity;
  upstreamHost?: string;
  /** Use the Service's own address instead of its endpoints. */
  serviceUpstream: boolean;
  /** Filters that later families add, in the order of the families. */
  filters: Filter[];
  canary?: CanarySettings;
  /** Set by a key that restricts access and can't be honoured: every route of this Ingress answers 503. Names the key. */
  closed?: string;
}

export interface CanarySettings {
  header?: string;
  headerMatch?: ValueMatch;
  cookie?: string;
  weight: number;
  weightTotal: number;
  followsAffinity: boolean;
}
