import type { Backend } from '../../../model/backend.ts';
import type { Certificate } from '../../../model/certificate.ts';
import type { TlsIdentities } from '../profiles/tls-identities.ts';

/** What a host's record depends on besides the host itself. */
export interface RenderContext {
  readonly backends: ReadonlyMap<string, Backend>;
  /** Of which backends may show one. */
  readonly certificates: ReadonlyMap<string, Certificate>;
  readonly identities: TlsIdentities;
  /** By `patternKey`: why the engine refused it. */
  readonly rejectedPatterns: ReadonlyMap<string, string>;
  /** By profile name: why nginx refused it. */
  readonly quarantinedProfiles: ReadonlyMap<string, string>;
  readonly defaults: RouteDefaults;
}

/** Used where a route doesn't say. Seconds and bytes; as ingress-nginx has them. */
export interface RouteDefaults {
  readonly bodyLimit: number;
  readonly connectTimeout: number;
  readonly sendTimeout: number;
  readonly readTimeout: number;
  readonly tries: number;
}

export const ROUTE_DEFAULTS: RouteDefaults = {
  bodyLimit: 1_048_576,
  connectTimeout: 5,
  sendTimeout: 60,
  readTimeout: 60,
  tries: 3,
};
