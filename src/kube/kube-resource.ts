/** A resource type of a Kubernetes API: what a path is made of. */
export interface KubeResource {
  /** '' is the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, as in paths and RBAC rules: `ingresses`. */
  readonly plural: string;
  readonly kind: string;
  readonly namespaced: boolean;
}

/** Which objects of a resource: one namespace or all of them, and selectors. */
export interface ResourceScope {
  /** undefined: all namespaces (or a cluster-wide resource). */
  readonly namespace?: string;
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** `/apis/networking.k8s.io/v1/namespaces/shop/ingresses/web` */
export function resourcePath(resource: KubeResource, namespace?: string, name?: string, subresource?: string): string {
  const { group, version, plural } = resource;
  const parts = group === '' ? ['api', version] : ['apis', group, version];
  if (namespace !== undefined) parts.push('namespaces', namespace);
  parts.push(plural);
  if (name !== undefined) parts.push(name);
  if (subresource !== undefined) parts.push(subresource);
  return `/${parts.map(encodeURIComponent).join('/')}`;
}
