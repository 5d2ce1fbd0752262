import type { Selection } from './selector.ts';

export interface RequestTarget extends Selection {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  readonly query: URLSearchParams;
}

/** undefined: no path of a resource. */
export function requestTarget(url: string): RequestTarget | undefined {
  const { pathname, searchParams: query } = new URL(url, 'http://fake');
  const parts = pathname.split('/').slice(1).map(decodeURIComponent);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const [group = '', version] = core ? ['', parts[1]] : [parts[1], parts[2]];
  const rest = parts.slice(core ? 2 : 3);
  const namespaced = rest[0] === 'namespaces' && rest.length > 2;
  const [plural, name, subresource] = namespaced ? rest.slice(2) : rest;
  if (version === undefined || plural === undefined || plural === '') return undefined;
  return {
    group,
    version,
    plural,
    name,
    subresource,
    query,
    namespace: namespaced ? rest[1] : undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
    labelSelector: query.get('labelSelector') ?? undefined,
  };
}
