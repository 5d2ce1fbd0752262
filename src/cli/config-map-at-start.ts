import { ConfigError } from '../config/config-error.ts';
import { readConfigMapLayer } from '../config/config-map-layer.ts';
import type { Settings } from '../config/settings.ts';
import { KubeError } from '../kube/kube-error.ts';
import { type KubeResource, resourcePath } from '../kube/kube-resource.ts';
import type { RbacRule } from '../kube/rbac-rule.ts';
import type { Reread } from './config-map-follower.ts';
import { openCluster } from './open-cluster.ts';

export const CONFIG_MAPS: KubeResource = {
  group: '',
  version: 'v1',
  plural: 'configmaps',
  kind: 'ConfigMap',
  namespaced: true,
};
/** With --configmap, in the namespace of the ConfigMap. A role should limit it to the name. */
export const CONFIG_MAP_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: [''],
    resources: ['configmaps'],
    resourceNames: ['weir'],
    verbs: ['get', 'list', 'watch'],
    why: 'Reads and follows the ConfigMap with weir’s settings (--configmap).',
  },
];
/** Milliseconds that the start waits for an API server that doesn't answer. */
const PATIENCE = 10_000;

/**
 * The settings to start with, those of the ConfigMap among them that `configmap` names. What is bad in it is told by whoever follows it
 * afterwards. One that can't be had, or that contradicts itself, gives none (`problem` says why): a saved model may be waiting to be
 * served. Throws a ConfigError about flags, environment and file.
 */
export async function settingsAtStart(
  reread: Reread,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly settings: Settings; readonly problem: string | undefined }> {
  const settings = reread({});
  const { configmap } = settings;
  const cluster = configmap === undefined ? undefined : await openCluster(settings, environment);
  if (configmap === undefined || cluster === undefined) return { settings, problem: undefined };
  const [namespace = '', name = ''] = configmap.split('/');
  try {
    const path = resourcePath(CONFIG_MAPS, namespace, name);
    const object = (await cluster.client.request({ method: 'GET', path, timeout: PATIENCE })) as { data?: unknown };
    return { settings: reread(readConfigMapLayer(object.data).values), problem: undefined };
  } catch (error) {
    if (!(error instanceof KubeError) && !(error instanceof ConfigError)) throw error;
    return { settings, problem: `the ConfigMap ${configmap} gives no settings at the start: ${error.message}` };
  } finally {
    await cluster.client.close();
  }
}
