import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import type { KubeObject } from './kube-object.ts';
import { type KubeResource, type ResourceScope, resourcePath } from './kube-resource.ts';

export interface ListPage {
  /** With kind and apiVersion, which the server leaves out in lists. */
  readonly items: readonly KubeObject[];
  /** Of the whole list: all its pages show this moment. */
  readonly resourceVersion: string;
  /** The pages before this one count for nothing: the list took so long that the server forgot it, and begins anew. */
  readonly restarted: boolean;
}

export interface ListOptions {
  readonly signal?: AbortSignal;
  /** Objects a page. Default 500. */
  readonly limit?: number;
}

const PAGE = 500;
const PAGE_TIMEOUT_MS = 120_000;
/** After as many lists that were forgotten half-way, all comes in one page. */
const RESTARTS = 2;

/** The newest state of a scope, page by page, so that only one page is in memory. Throws KubeErrors. */
export async function* listPages(
  client: Pick<KubeClient, 'request'>,
  resource: KubeResource,
  scope: ResourceScope = {},
  options: ListOptions = {},
): AsyncGenerator<ListPage> {
  const { signal, limit = PAGE } = options;
  let token: string | undefined;
  let restarted = false;
  for (let restarts = 0; ; ) {
    let answer: unknown;
    const path = resourcePath(resource, scope.namespace);
    try {
      answer = await client.request({
        method: 'GET',
        path,
        query: {
          fieldSelector: scope.fieldSelector,
          labelSelector: scope.labelSelector,
          limit: restarts > RESTARTS ? undefined : limit,
          continue: token,
        },
        timeout: PAGE_TIMEOUT_MS,
        ...(signal === undefined ? {} : { signal }),
      });
    } catch (error) {
      if (token === undefined || !(error instanceof KubeError) || error.status !== 410) throw error;
      token = undefined;
      restarted = true;
      restarts += 1;
      continue;
    }
    const page = readPage(answer, resource, path);
    yield { items: page.items, resourceVersion: page.resourceVersion, restarted };
    restarted = false;
    if (page.next === undefined) return;
    token = page.next;
  }
}

interface ReadPage extends Omit<ListPage, 'restarted'> {
  readonly next: string | undefined;
}

function readPage(answer: unknown, resource: KubeResource, path: string): ReadPage {
  const { metadata, items } = (answer ?? {}) as { metadata?: Record<string, unknown>; items?: unknown };
  // An empty list of Go is null.
  const given = items ?? [];
  const resourceVersion = metadata?.resourceVersion;
  if (typeof resourceVersion !== 'string' || !Array.isArray(given)) {
    throw new KubeError(`list ${resource.plural}: the answer to ${path} is no list`, {
      remedy: 'Check that the URL in the kubeconfig is an API server.',
    });
  }
  const apiVersion = resource.group === '' ? resource.version : `${resource.group}/${resource.version}`;
  const next = metadata?.continue;
  return {
    resourceVersion,
    next: typeof next === 'string' && next !== '' ? next : undefined,
    items: given.map((item: KubeObject) => ({ apiVersion, kind: resource.kind, ...item })),
  };
}
