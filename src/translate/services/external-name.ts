import { isIP } from 'node:net';
import { isHostname } from '../../model/hostname.ts';
import type { ServiceObject } from '../../snapshot/kinds/service.ts';
import { headKey, objectKey } from '../../snapshot/object-head.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';

export interface ExternalName {
  /** What is asked of DNS, or an address; undefined where there is a problem. */
  readonly name?: string;
  readonly problem?: string;
  /** Keys of the Services on the way, the first included: the outcome depends on them. */
  readonly services: readonly string[];
}

const CLUSTER_NAME = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?:\..+)?$/;

/**
 * The name behind a Service of type ExternalName, through other such Services. A name that leads back to itself is a
 * problem here, before DNS turns in circles; a name of an ordinary Service is left to the cluster's DNS.
 */
export function followExternalName(snapshot: Snapshot, first: ServiceObject): ExternalName {
  const services: string[] = [];
  let service = first;
  for (;;) {
    services.push(headKey(service));
    const name = (service.externalName ?? '').toLowerCase().replace(/\.$/, '');
    if (name === '') return { problem: `spec.externalName of Service ${headKey(service)} is empty`, services };
    if (isIP(name) === 0 && (!isHostname(name) || name.includes('*'))) {
      return { problem: `${JSON.stringify(service.externalName)} is no DNS name`, services };
    }
    const [, target, namespace] = CLUSTER_NAME.exec(name) ?? [];
    if (target === undefined || namespace === undefined) return { name, services };
    const key = objectKey(namespace, target);
    if (services.includes(key)) {
      return { problem: `the name leads back to Service ${key}: ${[...services, key].join(' → ')}`, services };
    }
    const next = snapshot.get('Service', key);
    // Asked for as well: it may appear, or turn into an external name.
    if (next === undefined || next.type !== 'ExternalName') return { name, services: [...services, key] };
    service = next;
  }
}
