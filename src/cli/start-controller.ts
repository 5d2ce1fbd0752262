import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { Controller } from '../controller/controller.ts';
import type { RegexAnswer } from '../explain/regex-engine.ts';
import { CodedError } from '../lib/coded-error.ts';
import { weirVersion } from '../lib/weir-version.ts';
import { ModelServer } from '../stream/model-server.ts';
import { parseStreamAddress } from '../stream/stream-address.ts';
import { AuthorityKeeper } from '../stream/tls/authority-keeper.ts';
import { FileMaterialStore } from '../stream/tls/file-material-store.ts';
import type { MaterialStore } from '../stream/tls/material-store.ts';
import { SecretMaterialStore } from '../stream/tls/secret-material-store.ts';
import type { Reread } from './config-map-follower.ts';
import { clusterWriterFor } from './cluster-writer-for.ts';
import { type ChosenSource, sourceFor } from './source-for.ts';
import { type RunningWeir, startParts } from './start-parts.ts';
import { holdStateDirectory } from './state-for.ts';
import { translatedFeedFor } from './translated-feed-for.ts';
import { UsageError } from './usage-error.ts';

/** Milliseconds that a proxy's question whether all is in force is pursued. */
const SETTLE = 60_000;

/** Throws a UsageError where no proxy could ever connect. */
export function requireListener(settings: Settings): void {
  const addresses = settings['model-listen'].map(parseStreamAddress);
  if (addresses.length === 0) {
    throw new UsageError('nothing says where proxies find the model.', 'Give --model-listen unix:PATH or HOST:PORT.');
  }
  const { 'model-tls-dir': directory, 'model-tls-secret': secret } = settings;
  if (directory !== undefined && secret !== undefined) {
    throw new UsageError('--model-tls-dir and --model-tls-secret exclude each other.', 'Give one of them.');
  }
  if (addresses.every(({ kind }) => kind === 'unix') || directory !== undefined || secret !== undefined) return;
  throw new UsageError(
    'private keys go over the model stream, which on TCP needs certificates.',
    'Give --model-tls-dir DIR or --model-tls-secret NAMESPACE/NAME, or listen on unix:PATH.',
  );
}

/** Reads and translates objects, and offers the model to proxies. */
export async function startController(settings: Settings, log: Logger, reread?: Reread): Promise<RunningWeir> {
  requireListener(settings);
  const held = await holdStateDirectory(settings, log);
  return startParts(settings, log, held, async (parts) => {
    const chosen = await sourceFor(settings, held.directory, log, reread);
    const writer = clusterWriterFor(settings, chosen, log);
    const overheard = { ...chosen, source: writer.source };
    const translated = await translatedFeedFor(settings, overheard, held.directory, log, writer.onServed);
    const keeper = await keeperFor(settings, chosen, log);
    const server = new ModelServer({
      addresses: settings['model-listen'].map(parseStreamAddress),
      ...(keeper === undefined ? {} : { credentials: keeper }),
      software: weirVersion(),
      name: hostname(),
      host: {
        synced: () => translated.feed.isSynced,
        health: () => {
          const { healthy, problems } = parts.controller.source();
          return { healthy, problems };
        },
        add: (driver) => parts.controller.addDriver(driver),
        remove: (name) => parts.controller.removeDriver(name),
        reloaded: (name, reason, detail) => parts.controller.noteReload(name, reason, detail),
        noted: () => parts.controller.look(),
        settle: (name) => parts.controller.settle(AbortSignal.timeout(SETTLE), name),
      },
      onEvent: ({ message, ...event }) => log[event.event === 'refused' ? 'warn' : 'info'](event, message),
    });
    return {
      controller: { feed: translated.feed, drivers: [], unsaved: chosen.unsaved },
      regex: async (question) => {
        try {
          return (await server.match(question)) as RegexAnswer;
        } catch (error) {
          // Explanations then are approximate, and say so.
          throw new CodedError('WEIR_NGINX_UNREACHABLE', (error as Error).message, { cause: error });
        }
      },
      writes: writer.counts,
      listening: (admin) => translated.listening(admin),
      before: async (controller: Controller) => {
        controller.listen({ moved: (generation, delta) => server.moved(generation, delta) });
        writer.start(controller);
        await server.listen();
      },
      stop: async () => {
        await writer.stop();
        keeper?.close();
        await server.close();
      },
      what: `offering what ${chosen.what} asks for on ${settings['model-listen'].join(', ')}`,
    };
  });
}

async function keeperFor(settings: Settings, chosen: ChosenSource, log: Logger): Promise<AuthorityKeeper | undefined> {
  const store = storeFor(settings, chosen);
  if (store === undefined) return undefined;
  return AuthorityKeeper.open({
    store,
    onProblem: (problem) => {
      if (problem === undefined) log.info(`the certificates in ${store.place} can be looked after again`);
      else log.error(`the certificates in ${store.place} can't be looked after: ${problem.message}`);
    },
  });
}

function storeFor(settings: Settings, { cluster }: ChosenSource): MaterialStore | undefined {
  const { 'model-tls-dir': directory, 'model-tls-secret': secret } = settings;
  if (directory !== undefined) return new FileMaterialStore(resolve(directory));
  if (secret === undefined) return undefined;
  if (cluster === undefined) {
    throw new UsageError('--model-tls-secret needs a cluster.', 'With manifests, give --model-tls-dir DIR.');
  }
  const [namespace = '', name = ''] = secret.split('/');
  return new SecretMaterialStore(cluster.client, { namespace, name });
}
