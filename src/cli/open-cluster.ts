import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { loadKubeconfig } from '../kube/kubeconfig/load-kubeconfig.ts';
import type { KubeClient } from '../kube/kube-client.ts';
import type { KubeConfig } from '../kube/kube-config.ts';
import { openKubeClient } from '../kube/open-kube-client.ts';
import { UsageError } from './usage-error.ts';

/** The API server that objects come from. */
export interface OpenCluster {
  readonly client: KubeClient;
  readonly config: KubeConfig;
}

type SourceSettings = Pick<Settings, 'manifests' | 'kubeconfig' | 'context'>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Where objects come from: `manifests` if they are given, else a cluster: `--kubeconfig`, KUBECONFIG, or that of the pod. What
 * `~/.kube/config` happens to point at is taken only if `--context` names it. Throws a UsageError if nothing says it, or two things.
 */
export function sourceKind(settings: SourceSettings, environment: Environment): 'files' | 'kubernetes' {
  const { manifests, kubeconfig, context } = settings;
  if (manifests.length > 0) {
    if (kubeconfig === undefined && context === undefined) return 'files';
    const flag = kubeconfig === undefined ? '--context' : '--kubeconfig';
    throw new UsageError(`--manifests and ${flag} exclude each other.`, 'Give one of them.');
  }
  const asked = kubeconfig ?? context ?? environment.KUBECONFIG ?? environment.KUBERNETES_SERVICE_HOST ?? '';
  if (asked !== '') return 'kubernetes';
  throw new UsageError(
    'nothing says where the objects are that are to be served.',
    'Give --manifests DIR for a folder of manifests, or --kubeconfig FILE for a cluster; in a pod its own cluster is taken.',
  );
}

/** Undefined where objects come from manifests. Opens no connection yet. Throws a coded error about a kubeconfig that can't be used. */
export async function openCluster(
  settings: SourceSettings,
  environment: Environment,
  log?: Logger,
): Promise<OpenCluster | undefined> {
  if (sourceKind(settings, environment) === 'files') return undefined;
  const { kubeconfig, context } = settings;
  const config = await loadKubeconfig({
    environment,
    ...(kubeconfig === undefined ? {} : { path: kubeconfig }),
    ...(context === undefined ? {} : { context }),
  });
  for (const warning of config.warnings) log?.warn(warning);
  return { config, client: openKubeClient(config) };
}
