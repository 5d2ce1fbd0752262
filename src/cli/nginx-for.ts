import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.ts';
import { NginxDriver } from '../drivers/nginx/nginx-driver.ts';
import type { NginxEvent } from '../drivers/nginx/nginx-options.ts';
import { compiledDataplane } from './compiled-dataplane.ts';
import { durationSeconds } from './duration.ts';

/** What is wrong with an installation of nginx or with its place, as opposed to what may pass. */
export const HOPELESS: ReadonlySet<string> = new Set([
  'WEIR_NGINX_MISSING',
  'WEIR_NGINX_TOO_OLD',
  'WEIR_NGINX_NO_LUA',
  'dataplane-missing',
  'WEIR_NGINX_WORKER_ACCESS',
]);

const LOUD: ReadonlySet<NginxEvent['event']> = new Set(['restart-failed', 'ended', 'no-room']);

/** The nginx of this machine, kept in `nginx/` of the state directory. `onReload` is told of each reload. */
export function nginxFor(
  settings: Settings,
  stateDirectory: string,
  log: Logger,
  onReload: (reason: string, detail: string) => void,
): NginxDriver {
  const directory = join(stateDirectory, 'nginx');
  const { 'access-log': accessLog = join(directory, 'log', 'access.log') } = settings;
  return new NginxDriver({
    stateDirectory: directory,
    dataplane: compiledDataplane,
    workers: settings.workers,
    ...(settings.nginx === undefined ? {} : { nginx: settings.nginx }),
    accessLog: accessLog === 'off' ? accessLog : resolve(accessLog),
    drainTimeout: durationSeconds(settings['drain-timeout']) * 1000,
    sharePorts: settings['share-ports'],
    onEvent: ({ event, message, reason }) => {
      const level = LOUD.has(event) ? 'error' : event === 'quarantined' ? 'warn' : 'info';
      log[level]({ event, ...(reason === undefined ? {} : { reason }) }, message);
      if (event === 'reloaded') onReload(reason ?? 'other', message);
    },
  });
}
