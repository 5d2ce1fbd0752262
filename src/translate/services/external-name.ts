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
 * A last label in one of the forms that inet_aton takes (decimal, octal, hexadecimal; of one to four parts): what
 * resolves it may read the whole as an address (`127.1`, `2130706433`). No top-level domain looks so.
 */
const NUMBER = /(?:^|\.)(?:[0-9]+|0x[0-9a-f]*)$/;

/** Whether a name in lower case could be read as an address, though it is written like none. */
export function isNumberLike(name: string): boolean {
  return NUMBER.test(name);
}

/** Namespace and name of the Service that a name of the cluster's DNS stands for. */
export function clusterService(name: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, target, namespace] = CLUSTER_NAME.exec(name) ?? [];
  return target === undefined || namespace === undefined ? undefined : { namespace, name: target };
}

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
    if (isIP(name) === 0 && NUMBER.test(name)) {
      const problem = `${JSON.stringify(service.externalName)} is a number and no DNS name; an address is written like 192.0.2.7`;
      return { problem, services };
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
