import { delimiter, join } from 'node:path';
import { nearestWord } from '../../lib/nearest-word.ts';
import type { KubeConfig } from '../kube-config.ts';
import { inClusterConfig } from './in-cluster-config.ts';
import { KubeconfigError } from './kubeconfig-error.ts';
import { type MergedKubeconfig, mergeKubeconfigs } from './merge-kubeconfigs.ts';
import { readCluster } from './read-cluster.ts';
import { readKubeconfigFile } from './read-kubeconfig-file.ts';
import { readUser } from './read-user.ts';

export interface KubeconfigOptions {
  /** `--kubeconfig`: this file and no other. */
  readonly path?: string;
  /** `--context`, instead of the file's current one. */
  readonly context?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its service account. */
  readonly serviceAccountDirectory?: string;
}

/**
 * Which API server to speak to, and as whom. In this order: `path`, the files of KUBECONFIG, the pod's own service account,
 * `~/.kube/config`. A context that is named is never looked for in the pod's account.
 *
 * Throws KubeconfigError, which names file, field and remedy.
 */
export async function loadKubeconfig(options: KubeconfigOptions): Promise<KubeConfig> {
  const { path, context, environment } = options;
  const listed = (environment.KUBECONFIG ?? '').split(delimiter).filter((file) => file !== '');
  if (path === undefined && listed.length === 0 && context === undefined) {
    const own = await inClusterConfig(environment, options.serviceAccountDirectory);
    if (own !== undefined) return own;
  }
  const files = path !== undefined ? [path] : listed.length > 0 ? listed : homeFile(environment);
  const read = (await Promise.all(files.map(readKubeconfigFile))).filter((file) => file !== undefined);
  if (read.length === 0) throw noFile(path, listed, files);
  return configOf(mergeKubeconfigs(read), context);
}

function configOf(merged: MergedKubeconfig, wanted: string | undefined): KubeConfig {
  const from = merged.files.join(', ');
  const name = wanted ?? merged.currentContext;
  if (name === undefined) {
    throw new KubeconfigError(
      `${from}: current-context is not set`,
      `Set it with kubectl config use-context, or name one with --context${choice(merged.contexts)}.`,
    );
  }
  const context = merged.contexts.get(name);
  if (context === undefined) {
    throw new KubeconfigError(
      `${from}: there is no context "${name}"`,
      `Name another with --context${choice(merged.contexts, name)}.`,
    );
  }
  const clusterName = context.text('cluster');
  const cluster = clusterName === undefined ? undefined : merged.clusters.get(clusterName);
  if (cluster === undefined) {
    throw context.problem(
      'cluster',
      clusterName === undefined ? 'is missing' : `"${clusterName}" is not among the clusters`,
      `Name a cluster${choice(merged.clusters, clusterName)}.`,
    );
  }
  const userName = context.text('user');
  const user = userName === undefined ? undefined : merged.users.get(userName);
  if (userName !== undefined && user === undefined) {
    throw context.problem(
      'user',
      `"${userName}" is not among the users`,
      `Name a user${choice(merged.users, userName)}.`,
    );
  }
  const { cluster: read, warnings } = readCluster(cluster);
  return {
    from,
    context: name,
    cluster: read,
    user: user === undefined ? {} : readUser(user),
    namespace: context.text('namespace') ?? 'default',
    warnings,
  };
}

function homeFile({ HOME: home }: Readonly<Record<string, string | undefined>>): readonly string[] {
  return home === undefined || home === '' ? [] : [join(home, '.kube', 'config')];
}

function noFile(path: string | undefined, listed: readonly string[], files: readonly string[]): KubeconfigError {
  if (path !== undefined)
    return new KubeconfigError(`${path}: there is no such file`, 'Give --kubeconfig the path of a kubeconfig.');
  if (listed.length > 0) {
    return new KubeconfigError(
      `KUBECONFIG names ${listed.join(', ')}, and none of them is there`,
      'Correct KUBECONFIG, or give --kubeconfig.',
    );
  }
  const looked = files.length === 0 ? 'HOME is not set' : `${files.join(', ')} is not there`;
  return new KubeconfigError(
    `no cluster is configured: this is no pod with a service account, KUBECONFIG is not set, and ${looked}`,
    'Give --kubeconfig, or --manifests for a folder of manifests.',
  );
}

function choice(entries: ReadonlyMap<string, unknown>, wrong?: string): string {
  const names = [...entries.keys()];
  const near = wrong === undefined ? undefined : nearestWord(wrong, names);
  if (near !== undefined) return ` (did you mean "${near}"?)`;
  return names.length === 0 ? '' : ` (there are: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''})`;
}
