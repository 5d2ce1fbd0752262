import type { KubeClient } from '../../kube/kube-client.ts';
import type { KubeResource, ResourceScope } from '../../kube/kube-resource.ts';
import { listPages } from '../../kube/list-pages.ts';
import { objectKey } from '../../snapshot/object-head.ts';

export interface ListedVersions {
  /** Of the list: nothing in it is newer. */
  readonly version: string;
  /** Key (`shop/web`) → resourceVersion. */
  readonly objects: ReadonlyMap<string, string>;
}

/** Names and versions of all objects of the scope, as the store has them now. Rejects with a KubeError. */
export async function listVersions(
  client: Pick<KubeClient, 'request'>,
  resource: KubeResource,
  scope: ResourceScope,
): Promise<ListedVersions> {
  const objects = new Map<string, string>();
  let version = '0';
  for await (const page of listPages(client, resource, scope)) {
    if (page.restarted) objects.clear();
    version = page.resourceVersion;
    for (const { metadata } of page.items) {
      objects.set(objectKey(metadata.namespace ?? '', metadata.name), metadata.resourceVersion);
    }
  }
  return { version, objects };
}
