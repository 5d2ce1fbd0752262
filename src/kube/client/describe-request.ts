import type { KubeRequest } from '../kube-client.ts';

/** A request in the words of RBAC. */
export interface RequestDescription {
  readonly verb: string;
  readonly apiGroup: string;
  /** `ingresses/status`; undefined: no resource but a path, as `/version`. */
  readonly resource: string | undefined;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** `list secrets in namespace shop`, `patch ingresses/status web in namespace shop`. */
  readonly text: string;
}

export function describeRequest({ method, path, query = {} }: KubeRequest): RequestDescription {
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decodeURIComponent);
  const [root, first] = parts;
  const isResource = (root === 'api' && parts.length > 2) || (root === 'apis' && parts.length > 3);
  if (!isResource) {
    const verb = method.toLowerCase();
    return { verb, apiGroup: '', resource: undefined, namespace: undefined, name: undefined, text: `${verb} ${path}` };
  }
  const apiGroup = root === 'api' ? '' : (first ?? '');
  const rest = parts.slice(root === 'api' ? 2 : 3);
  // A namespace itself is an object, too: /api/v1/namespaces/shop, /api/v1/namespaces/shop/finalize.
  const inNamespace = rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  const namespace = inNamespace ? rest[1] : undefined;
  const [plural = '', name, subresource] = inNamespace ? rest.slice(2) : rest;
  const resource = subresource === undefined ? plural : `${plural}/${subresource}`;
  const verb = verbOf(method, name, query.watch === true || query.watch === 'true' || query.watch === 1);
  const selected = [query.fieldSelector, query.labelSelector].filter(
    (selector) => selector !== undefined && selector !== '',
  );
  const text = [
    verb,
    resource,
    ...(name === undefined ? [] : [name]),
    ...(selected.length === 0 ? [] : [`(${selected.join(', ')})`]),
    ...(namespace === undefined ? [] : [`in namespace ${namespace}`]),
  ].join(' ');
  return { verb, apiGroup, resource, namespace, name, text };
}

function verbOf(method: KubeRequest['method'], name: string | undefined, watch: boolean): string {
  switch (method) {
    case 'GET':
      return watch ? 'watch' : name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
  }
}
