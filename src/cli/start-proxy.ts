import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { StreamReport } from '../controller/stream-report.ts';
import { StreamedFeed } from '../controller/streamed-feed.ts';
import { weirVersion } from '../lib/weir-version.ts';
import { ModelClient } from '../stream/model-client.ts';
import { parseStreamAddress } from '../stream/stream-address.ts';
import { FileCredentials } from '../stream/tls/file-credentials.ts';
import { nginxFor } from './nginx-for.ts';
import { nginxRegexEngine } from './nginx-regex-engine.ts';
import { type RunningWeir, startParts } from './start-parts.ts';
import { holdStateDirectory, openSavedState } from './state-for.ts';
import { UsageError } from './usage-error.ts';

/** Throws a UsageError where no controller could ever be reached. */
export function requireController(settings: Settings): void {
  const addresses = settings['model-from'].map(parseStreamAddress);
  if (addresses.length === 0) {
    throw new UsageError('nothing says where the controller is.', 'Give --model-from unix:PATH or HOST:PORT.');
  }
  if (addresses.every(({ kind }) => kind === 'unix') || settings['model-tls-dir'] !== undefined) return;
  throw new UsageError(
    'private keys go over the model stream, which on TCP needs certificates.',
    'Give --model-tls-dir DIR, with the files that the controller made for proxies.',
  );
}

/** Has the nginx of this machine serve what a controller offers; without one, what it offered last. */
export async function startProxy(settings: Settings, log: Logger): Promise<RunningWeir> {
  requireController(settings);
  const held = await holdStateDirectory(settings, log);
  return startParts(settings, log, held, async (parts) => {
    const saved = await openSavedState(held.directory, log);
    const { 'model-tls-dir': tls } = settings;
    const credentials = tls === undefined ? undefined : await FileCredentials.open(resolve(tls));
    const nginx = nginxFor(settings, held.directory, log, (reason, detail) =>
      parts.controller.noteReload('nginx', reason, detail),
    );
    const regex = nginxRegexEngine(nginx);
    let report: StreamReport | undefined;
    const feed = new StreamedFeed({
      ...(saved.saved === undefined ? {} : { saved: saved.saved }),
      client: (host) =>
        new ModelClient(
          {
            addresses: settings['model-from'].map((text) => ({ text, address: parseStreamAddress(text) })),
            ...(credentials === undefined ? {} : { credentials }),
            software: weirVersion(),
            name: settings['proxy-name'] ?? hostname(),
            onEvent: (message, lost) => log[lost ? 'warn' : 'info'](message),
          },
          host,
        ),
      match: async (question) => regex(question),
      onCommit: (commit, generation) => report?.committed(commit, generation),
    });
    return {
      controller: { feed, drivers: [nginx], ...saved },
      counts: () => nginx.counts(),
      regex,
      before: async (controller) => {
        report = new StreamReport(controller, feed.client);
        controller.listen(report);
      },
      stop: async () => credentials?.close(),
      what: `serving what the controller at ${settings['model-from'].join(', ')} offers`,
    };
  });
}
