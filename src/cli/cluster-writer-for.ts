import { hostname } from 'node:os';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { Controller, ControllerListener } from '../controller/controller.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import { startReflector } from '../kube/reflector/start-reflector.ts';
import { type Resource, RESOURCE_KINDS, type ResourceKind } from '../snapshot/resource.ts';
import type { Source, SourceSink } from '../sources/source.ts';
import type { AddressOrigin } from '../status/address-watch.ts';
import { ClusterWriter } from '../status/cluster-writer.ts';
import { WriteCounts } from '../status/write-counts.ts';
import type { ChosenSource } from './source-for.ts';
import type { TranslatorChoices } from './translator-for.ts';
import { UsageError } from './usage-error.ts';

export interface ChosenWriter {
  /** The source, overheard. */
  readonly source: Source;
  /** For the translator. */
  readonly onServed?: NonNullable<TranslatorChoices['onServed']>;
  readonly counts?: WriteCounts;
  /** Begins to write; the controller is about to start. */
  start(controller: Controller): void;
  stop(): Promise<void>;
}

/** Milliseconds that findings gather. */
const GATHER = 500;

/** What writes status and Events to the cluster that objects come from; for manifests, nothing. Throws a UsageError about settings that exclude each other. */
export function clusterWriterFor(settings: Settings, { source, cluster }: ChosenSource, log: Logger): ChosenWriter {
  if (cluster === undefined) return { source, start: () => {}, stop: async () => {} };
  const { client, config } = cluster;
  const addresses = settings['leave-status'] ? undefined : addressOrigin(settings, config.namespace);
  const counts = new WriteCounts();
  let controller: Controller | undefined;
  const writer = new ClusterWriter({
    client,
    startWatch: (resource, scope, sink) => startReflector({ client, resource, scope, sink }),
    namespace: config.namespace,
    leaseName: settings['election-id'],
    instance: process.env.POD_NAME ?? hostname(),
    ...(addresses === undefined ? {} : { addresses }),
    generations: () => ({ newest: controller?.generation ?? 0, inForce: controller?.appliedGeneration ?? 0 }),
    listener: {
      led(leads) {
        counts.leads = leads;
        log.info(leads ? 'leads: status and Events are written from here' : 'no longer leads');
      },
      holder: (holder) => log.debug({ holder }, 'leader'),
      statusWritten: (result) => counts.statusWritten(result),
      event: (result) => counts.event(result),
      problem(subject, problem) {
        if (problem === undefined) log.info({ subject }, `writing to the cluster: ${subject}: works again`);
        else log.warn({ subject }, `writing to the cluster: ${subject}: ${problem.message}`);
      },
    },
  });
  let stop = () => {};
  return {
    source: overheard(source, writer),
    onServed: (ingress, hosts) => writer.served(ingress, hosts),
    counts,
    start(started) {
      controller = started;
      stop = follow(started, writer);
      if (addresses === undefined && !settings['leave-status']) {
        log.info(
          'the status of Ingresses is left alone: neither publish-service, publish-status-address nor publish-nodes says where weir is to be found',
        );
      }
      writer.start();
    },
    async stop() {
      stop();
      await writer.stop();
    },
  };
}

function addressOrigin(settings: Settings, namespace: string): AddressOrigin | undefined {
  const { 'publish-service': service, 'publish-status-address': fixed, 'publish-nodes': selector } = settings;
  const given = [service, fixed[0], selector].filter((value) => value !== undefined);
  if (given.length > 1) {
    throw new UsageError(
      'publish-service, publish-status-address and publish-nodes exclude each other.',
      'Give one of them.',
    );
  }
  if (fixed.length > 0) return { from: 'fixed', addresses: fixed };
  if (selector !== undefined) {
    return { from: 'nodes', namespace, selector, internal: settings['report-node-internal-ip-address'] };
  }
  if (service === undefined) return undefined;
  const [ofService = '', name = ''] = service.split('/');
  return { from: 'service', namespace: ofService, name };
}

/** Tells the writer what the source delivers, before anybody else learns of it. */
function overheard(source: Source, writer: ClusterWriter): Source {
  const start = (sink: SourceSink) => {
    const hears: SourceSink = {
      changed(changes) {
        for (const change of changes) {
          if (change.type === 'delete') writer.gone(change.ref);
          else see(change.resource, writer);
        }
        sink.changed(changes);
      },
      report: (subject, findings) => sink.report(subject, findings),
      synced: () => sink.synced(),
      ...(sink.refuses === undefined ? {} : { refuses: (ref) => sink.refuses?.(ref) ?? false }),
    };
    return source.start(hears);
  };
  // All else is the source's own.
  return new Proxy(source, {
    get(target, key) {
      if (key === 'start') return start;
      const value: unknown = Reflect.get(target, key, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

function see({ ref, body }: Resource, writer: ClusterWriter): void {
  const { metadata } = (body ?? {}) as Partial<KubeObject>;
  // Stand-ins for objects that can't be read have no uid. EndpointSlices are many, and nothing is said about them.
  if (typeof metadata?.uid !== 'string' || typeof metadata.resourceVersion !== 'string' || ref.kind === 'EndpointSlice')
    return;
  const group = RESOURCE_KINDS[ref.kind as ResourceKind];
  const apiVersion = group === '' ? 'v1' : `${group}/v1`;
  // Items of a list don't say what they are.
  writer.seen({ ...(body as KubeObject), apiVersion, kind: ref.kind });
}

function follow(controller: Controller, writer: ClusterWriter): () => void {
  let timer: NodeJS.Timeout | undefined;
  const listener: ControllerListener = {
    moved: (generation) => writer.moved(generation),
    applied: () => writer.applied(),
    removed: () => writer.applied(),
    synced: () => writer.synced(),
    changed() {
      timer ??= setTimeout(() => {
        timer = undefined;
        writer.applied();
        writer.findings(controller.findings());
      }, GATHER).unref();
    },
  };
  const forget = controller.listen(listener);
  return () => {
    clearTimeout(timer);
    forget();
  };
}
