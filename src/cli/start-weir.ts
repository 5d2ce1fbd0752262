import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import type { Reread } from './config-map-follower.ts';
import { clusterWriterFor } from './cluster-writer-for.ts';
import { nginxFor } from './nginx-for.ts';
import { nginxRegexEngine } from './nginx-regex-engine.ts';
import { type RunningWeir, startParts } from './start-parts.ts';
import { sourceFor } from './source-for.ts';
import { holdStateDirectory, openSavedState } from './state-for.ts';
import { translatedFeedFor } from './translated-feed-for.ts';
import { UsageError } from './usage-error.ts';

export type { RunningWeir } from './start-parts.ts';

/** Controller and proxy in one: objects are read and translated, and the nginx of this machine serves them. Rejects if it can't serve anything. */
export async function startWeir(settings: Settings, log: Logger, reread?: Reread): Promise<RunningWeir> {
  const held = await holdStateDirectory(settings, log);
  return startParts(settings, log, held, async (parts) => {
    const saved = await openSavedState(held.directory, log);
    const chosen = await sourceFor(settings, held.directory, log, reread);
    const writer = clusterWriterFor(settings, chosen, log);
    const overheard = { ...chosen, source: writer.source };
    const translated = await translatedFeedFor(settings, overheard, held.directory, log, writer.onServed);
    const nginx = nginxFor(settings, held.directory, log, (reason, detail) =>
      parts.controller.noteReload('nginx', reason, detail),
    );
    return {
      controller: { feed: translated.feed, drivers: [nginx], unsaved: chosen.unsaved, ...saved },
      counts: () => nginx.counts(),
      regex: nginxRegexEngine(nginx),
      writes: writer.counts,
      listening: (admin) => translated.listening(admin),
      before: async (controller) => writer.start(controller),
      stop: () => writer.stop(),
      started: (controller) => {
        // An API server that is away may come; manifests that can't be read are a mistake.
        if (controller.hasModel || chosen.cluster !== undefined) return;
        const [finding] = controller.findings();
        throw new UsageError(
          finding?.message ?? `${chosen.what} can't be read.`,
          'Nothing was saved by an earlier run either, so there is nothing to serve.',
        );
      },
      what: `serving ${chosen.what}`,
    };
  });
}
