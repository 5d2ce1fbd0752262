import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { startReflector } from '../kube/reflector/start-reflector.ts';
import { FilesSource } from '../sources/files/files-source.ts';
import { HeldObjects } from '../sources/files/held-objects.ts';
import { KubernetesSource, type KubernetesSourceOptions } from '../sources/kubernetes/kubernetes-source.ts';
import type { NamespaceChoice } from '../sources/kubernetes/namespace-choice.ts';
import type { Source } from '../sources/source.ts';
import { CONFIG_MAPS } from './config-map-at-start.ts';
import { ConfigMapFollower, type Reread } from './config-map-follower.ts';
import { type OpenCluster, openCluster } from './open-cluster.ts';
import { UsageError } from './usage-error.ts';

export interface ChosenSource {
  readonly source: Source;
  /** What is served, for people: `the manifests in ./manifests`. */
  readonly what: string;
  /** Why something of the source's own that should outlive the process can't be saved just now. */
  readonly unsaved: () => string | undefined;
  /** The API server, where objects come from one. It may be away when weir starts, and is waited for. */
  readonly cluster?: OpenCluster;
}

/** The source that the settings ask for; `directory` is where it may keep what must outlive the process. Throws a coded error if there is none. */
export async function sourceFor(
  settings: Settings,
  directory: string,
  log: Logger,
  reread?: Reread,
): Promise<ChosenSource> {
  const cluster = await openCluster(settings, process.env, log);
  return cluster === undefined
    ? filesSource(settings, directory, log)
    : kubernetesSource(settings, cluster, log, reread);
}

function kubernetesSource(settings: Settings, cluster: OpenCluster, log: Logger, reread?: Reread): ChosenSource {
  const { client, config } = cluster;
  const source = new KubernetesSource({
    client,
    startWatch: (resource, scope, sink) => startReflector({ client, resource, scope, sink }),
    namespaces: namespaceChoice(settings, config.namespace),
    ingressClasses: settings['ingress-class'],
    ...followedConfigMap(settings, cluster, log, reread),
  });
  const context = config.context === undefined ? '' : `, context ${config.context}`;
  return {
    source,
    cluster,
    what: `the cluster at ${client.server} (${config.from}${context})`,
    unsaved: () => undefined,
  };
}

function followedConfigMap(
  settings: Settings,
  { client }: OpenCluster,
  log: Logger,
  reread: Reread | undefined,
): Pick<KubernetesSourceOptions, 'follow'> {
  const { configmap } = settings;
  if (configmap === undefined || reread === undefined) return {};
  const [namespace = '', name = ''] = configmap.split('/');
  const scope = { namespace, fieldSelector: `metadata.name=${name}` };
  const apply = (key: string, value: unknown) => {
    log.info({ key, value }, `the ConfigMap ${configmap} sets ${key} to ${String(value)}`);
    if (key === 'log-level') log.level = String(value);
  };
  return {
    follow(report) {
      const sink = new ConfigMapFollower({ name: configmap, started: settings, reread, apply, report });
      return startReflector({ client, resource: CONFIG_MAPS, scope, sink });
    },
  };
}

function namespaceChoice(settings: Settings, own: string): NamespaceChoice {
  const { 'watch-namespace': names, 'watch-namespace-selector': selector } = settings;
  if (selector === undefined) return names.length > 0 ? { kind: 'list', names } : { kind: 'all', own };
  if (names.length === 0) return { kind: 'selector', selector };
  throw new UsageError('--watch-namespace and --watch-namespace-selector exclude each other.', 'Give one of them.');
}

async function filesSource(settings: Settings, directory: string, log: Logger): Promise<ChosenSource> {
  const held = await HeldObjects.open({
    directory,
    onProblem: (problem) => {
      if (problem === undefined) log.info('the objects of broken manifests are saved again');
      else
        log.error(
          { code: (problem as NodeJS.ErrnoException).code },
          `the objects of broken manifests can't be saved: ${problem.message}`,
        );
    },
  });
  if (held.problem !== undefined) log.warn(`objects of broken manifests, held by an earlier run: ${held.problem}`);
  return {
    source: new FilesSource({ folders: settings.manifests, held: held.held }),
    what: `the manifests in ${settings.manifests.join(', ')}`,
    unsaved: () => held.held.problem && `the objects of broken manifests: ${held.held.problem.message}`,
  };
}
