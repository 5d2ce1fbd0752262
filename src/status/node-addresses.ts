import type { KubeObject } from '../kube/kube-object.ts';
import { type PublishedAddress, publishedAddress } from './published-address.ts';

interface PodStatus {
  readonly hostIP?: string;
  readonly hostIPs?: readonly { readonly ip?: string }[];
  readonly conditions?: readonly { readonly type?: string; readonly status?: string }[];
}

/**
 * Addresses of the nodes on which ready pods run. A node's ExternalIP where it has one (and `internal` is false), else what its
 * pods say of it, which is its InternalIP.
 */
export function nodeAddresses(
  pods: Iterable<KubeObject>,
  nodes: ReadonlyMap<string, KubeObject>,
  internal: boolean,
): readonly PublishedAddress[] {
  return [...pods].filter(isReady).flatMap((pod) => {
    const { nodeName } = (pod.spec ?? {}) as { readonly nodeName?: string };
    const external = internal || nodeName === undefined ? [] : externalAddresses(nodes.get(nodeName));
    return (external.length > 0 ? external : hostAddresses(pod)).map(publishedAddress);
  });
}

function isReady({ metadata, status }: KubeObject): boolean {
  const { conditions = [] } = (status ?? {}) as PodStatus;
  return (
    metadata.deletionTimestamp === undefined &&
    conditions.some((condition) => condition.type === 'Ready' && condition.status === 'True')
  );
}

function hostAddresses({ status }: KubeObject): readonly string[] {
  const { hostIP, hostIPs } = (status ?? {}) as PodStatus;
  return (hostIPs?.map(({ ip }) => ip) ?? [hostIP]).flatMap((address) => (address ? [address] : []));
}

function externalAddresses(node: KubeObject | undefined): readonly string[] {
  const { addresses = [] } = (node?.status ?? {}) as {
    readonly addresses?: readonly { readonly type?: string; readonly address?: string }[];
  };
  return addresses.flatMap(({ type, address }) => (type === 'ExternalIP' && address ? [address] : []));
}
