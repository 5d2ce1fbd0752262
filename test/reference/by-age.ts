import type { IngressManifest } from './manifest.ts';

/**
 * Oldest first, as ingress-nginx decides between Ingresses that want the same. Of one age, by namespace and name; one
 * without a time (which a cluster never has) is younger than all that have one.
 */
export function byAge(ingresses: readonly IngressManifest[]): readonly IngressManifest[] {
  const order = ({ metadata }: IngressManifest): readonly string[] => [
    metadata.creationTimestamp ?? '9999',
    `${metadata.namespace}/${metadata.name}`,
  ];
  return [...ingresses].sort((one, other) => {
    const [age = '', name = ''] = order(one);
    const [otherAge = '', otherName = ''] = order(other);
    if (age !== otherAge) return age < otherAge ? -1 : 1;
    return name < otherName ? -1 : 1;
  });
}
