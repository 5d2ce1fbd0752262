import type { KubeObject } from '../kube/kube-object.ts';
import { type PublishedAddress, publishedAddress } from './published-address.ts';

interface ServiceFields {
  readonly type?: string;
  readonly externalName?: string;
  readonly externalIPs?: readonly string[];
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
}
interface LoadBalancerEntry {
  readonly ip?: string;
  readonly hostname?: string;
}

/**
 * Where a Service is reached from outside: a LoadBalancer at the addresses that it was given and its externalIPs, an ExternalName
 * at its name, every other at its externalIPs or, where it has none, at its cluster addresses. None: not known yet.
 */
export function serviceAddresses({ spec, status }: KubeObject): readonly PublishedAddress[] {
  const { type = 'ClusterIP', externalName, externalIPs = [], clusterIP, clusterIPs } = (spec ?? {}) as ServiceFields;
  const external = externalIPs.map(publishedAddress);
  if (type === 'ExternalName') return externalName === undefined ? [] : [publishedAddress(externalName)];
  if (type === 'LoadBalancer') {
    const { loadBalancer } = (status ?? {}) as {
      readonly loadBalancer?: { readonly ingress?: readonly LoadBalancerEntry[] };
    };
    const given = (loadBalancer?.ingress ?? []).flatMap(({ ip, hostname }) => {
      const text = ip || hostname;
      return text === undefined || text === '' ? [] : [publishedAddress(text)];
    });
    return [...given, ...external];
  }
  if (external.length > 0) return external;
  const own = clusterIPs ?? (clusterIP === undefined ? [] : [clusterIP]);
  return own.filter((address) => address !== '' && address !== 'None').map(publishedAddress);
}
