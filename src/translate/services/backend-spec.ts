import { createHash } from 'node:crypto';
import type { Backend, BackendTls, Balancing } from '../../model/backend.ts';

/** What makes two uses of a Service two backends. */
export interface BackendSettings {
  readonly protocol: Backend['protocol'];
  readonly balancing?: Balancing;
  readonly tls?: BackendTls;
  /** The Service's own address is the only endpoint. */
  readonly serviceUpstream: boolean;
}

/** A backend that something refers to, before its endpoints are known. */
export interface BackendSpec extends BackendSettings {
  readonly id: string;
  readonly serviceKey: string;
  /** `FoundPort.key` */
  readonly portKey: string;
  /** Set: there is no Service, and whoever is behind this DNS name or address is asked. Then `serviceKey` is empty. */
  readonly external?: { readonly host: string; readonly port: number };
  /** Keys of all Services that the backend depends on: its own, and those that its external name leads through. */
  readonly services: readonly string[];
}

/**
 * `shop/web:http`, and a suffix for everything that isn't the default: `shop/web:http~grpc~ewma`. The same settings
 * give the same id whatever else there is.
 */
export function backendId(serviceKey: string, portKey: string, settings: BackendSettings): string {
  const { protocol, balancing, tls, serviceUpstream } = settings;
  const suffix = [
    ...(protocol === 'http' ? [] : [protocol]),
    ...(serviceUpstream ? ['service'] : []),
    ...(balancing === undefined || balancing.kind === 'round-robin' ? [] : [balancingName(balancing)]),
    ...(tls === undefined ? [] : [`tls-${digest(tls)}`]),
  ];
  return [`${serviceKey}:${portKey}`, ...suffix].join('~');
}

function balancingName(balancing: Balancing): string {
  return balancing.kind === 'hash' ? `hash-${digest(balancing)}` : balancing.kind;
}

function digest(value: object): string {
  return createHash('sha256')
    .update(JSON.stringify(sortedFields(value)))
    .digest('hex')
    .slice(0, 8);
}

function sortedFields(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortedFields);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  return Object.fromEntries(
    entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, field]) => [key, sortedFields(field)]),
  );
}
