import { join, resolve } from 'node:path';
import type { Logger } from 'pino';
import { type AdminApp, type AdminContext, buildAdminApp } from '../admin/admin-app.ts';
import { Metrics } from '../admin/metrics.ts';
import type { Settings } from '../config/settings.ts';
import { Controller } from '../controller/controller.ts';
import { KnownNames } from '../controller/known-names.ts';
import { dnsQuery, dnsResolver } from '../controller/name-query.ts';
import { lockState } from '../controller/state-lock.ts';
import { StateStore } from '../controller/state-store.ts';
import { NginxDriver } from '../drivers/nginx/nginx-driver.ts';
import type { NginxEvent } from '../drivers/nginx/nginx-options.ts';
import { CodedError } from '../lib/coded-error.ts';
import { weirVersion } from '../lib/weir-version.ts';
import { FilesSource } from '../sources/files/files-source.ts';
import { HeldObjects } from '../sources/files/held-objects.ts';
import { readToken } from './admin-client.ts';
import { compiledDataplane } from './compiled-dataplane.ts';
import { leanHeap } from './lean-heap.ts';
import { logController } from './log-controller.ts';
import { nginxRegexEngine } from './nginx-regex-engine.ts';
import { ownListeners } from './own-listeners.ts';
import { translatorFor } from './translator-for.ts';
import { UsageError } from './usage-error.ts';

export interface RunningWeir {
  readonly controller: Controller;
  /** URL of the admin server. */
  readonly admin: string;
  /** Resolves if this machine has no load balancer that could ever be started; waiting would not help. */
  readonly hopeless: Promise<CodedError>;
  stop(how: 'leave' | 'drain'): Promise<void>;
}

/** What is wrong with an installation of nginx or with its place, as opposed to what may pass. */
const HOPELESS: ReadonlySet<string> = new Set([
  'WEIR_NGINX_MISSING',
  'WEIR_NGINX_TOO_OLD',
  'WEIR_NGINX_NO_LUA',
  'dataplane-missing',
  'WEIR_NGINX_WORKER_ACCESS',
]);

const LOUD: ReadonlySet<NginxEvent['event']> = new Set(['restart-failed', 'ended', 'no-room']);

/** Milliseconds between two lines that say that the model still can't be saved. */
const SAVING_QUIET = 30_000;

/** Puts the program together and starts it: the only place that knows all its parts. Rejects if it can't serve anything. */
export async function startWeir(settings: Settings, log: Logger): Promise<RunningWeir> {
  const token = settings['admin-token-file'] === undefined ? undefined : await readToken(settings['admin-token-file']);
  // nginx would look for a relative path in its own directory.
  const directory = resolve(settings['state-dir']!);
  const lock = await lockState(directory).catch((error: unknown) => {
    if (error instanceof CodedError) throw error;
    throw new UsageError(
      `the state directory ${directory} can't be used (${(error as NodeJS.ErrnoException).code}).`,
      'Give another with --state-dir.',
    );
  });
  const { store, reading } = await StateStore.open({
    directory,
    onProblem: noteSaving(log),
  }).catch(async (error: unknown) => {
    await lock.release();
    if (!(error instanceof CodedError)) throw error;
    throw new UsageError(error.message, error.remedy ?? '');
  });
  if (lock.problem !== undefined) {
    log.warn(`the state directory is held without its file weir.pid, which can't be written: ${lock.problem.message}`);
  }
  if (reading.problem !== undefined) log.warn(`saved state: ${reading.problem}`);
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
  let listeners = ownListeners(settings['http-port'], settings['https-port'], []);
  const nginx = nginxDriver(settings, join(directory, 'nginx'), (event) => noteNginxEvent(event, controller, log));
  const controller: Controller = new Controller({
    source: new FilesSource({ folders: settings.manifests, held: held.held }),
    translator: translatorFor({
      ingressClasses: settings['ingress-class'],
      defaultCertificate: settings['default-ssl-certificate'],
      httpPort: settings['http-port'],
      httpsPort: settings['https-port'],
      ownListeners: () => listeners,
      trustedProxies: settings['trusted-proxies'],
    }),
    drivers: [nginx],
    query: dnsQuery(dnsResolver(settings['dns-server'])),
    version: weirVersion(),
    onFault: (what, error) =>
      log.error(
        { stack: error instanceof Error ? error.stack : undefined },
        `fault of weir while ${what}: ${error instanceof Error ? error.message : String(error)}`,
      ),
    store,
    unsaved: () => held.held.problem && `the objects of broken manifests: ${held.held.problem.message}`,
    known: await KnownNames.open(directory),
    ...(reading.model === undefined ? {} : { saved: reading.model }),
  });
  const metrics = new Metrics(controller, () => nginx.counts());
  controller.listen(metrics);
  controller.listen(logController(controller, log, HOPELESS));
  controller.listen(leanHeap(() => controller.isCaughtUp));
  const hopeless = Promise.withResolvers<CodedError>();
  controller.listen({
    failed: (_driver, error) => {
      if (error instanceof CodedError && HOPELESS.has(error.code)) hopeless.resolve(error);
    },
  });
  const admin = await listenAdmin(
    {
      controller,
      metrics,
      regex: nginxRegexEngine(nginx),
      onFault: (error, url) => log.error({ url, stack: error.stack }, `the admin API failed: ${error.message}`),
    },
    settings['admin-address'],
    token,
  ).catch(async (error: unknown) => {
    await lock.release();
    throw error;
  });
  // Before the first object is read.
  listeners = ownListeners(
    settings['http-port'],
    settings['https-port'],
    admin.app.addresses().filter((bound) => typeof bound !== 'string'),
  );
  const stop = async (how: 'leave' | 'drain') => {
    await controller.stop(how);
    await admin.app.close();
    await lock.release();
  };
  try {
    await controller.start();
  } catch (error) {
    await stop('leave');
    throw error;
  }
  if (!controller.hasModel) {
    const [finding] = controller.findings();
    await stop('drain');
    throw new UsageError(
      finding?.message ?? `the manifests in ${settings.manifests.join(', ')} can't be read.`,
      'Nothing was saved by an earlier run either, so there is nothing to serve.',
    );
  }
  log.info(
    { http: settings['http-port'], https: settings['https-port'], admin: admin.url, state: directory },
    `serving ${settings.manifests.join(', ')}`,
  );
  return { controller, admin: admin.url, hopeless: hopeless.promise, stop };
}

/** Says that the model can't be saved for as long as it can't, at most every half minute, and when it can again. */
function noteSaving(log: Logger): (problem: Error | undefined) => void {
  let quietUntil = -Infinity;
  return (problem) => {
    const now = performance.now();
    if (problem !== undefined && now < quietUntil) return;
    quietUntil = problem === undefined ? -Infinity : now + SAVING_QUIET;
    if (problem === undefined) log.info('the model is saved again');
    else
      log.error(
        { code: (problem as NodeJS.ErrnoException).code },
        `the model can't be saved: ${problem.message}. What is served goes on; it is tried again every few seconds.`,
      );
  };
}

function nginxDriver(settings: Settings, directory: string, onEvent: (event: NginxEvent) => void): NginxDriver {
  const { 'access-log': accessLog = join(directory, 'log', 'access.log') } = settings;
  return new NginxDriver({
    stateDirectory: directory,
    dataplane: compiledDataplane,
    workers: settings.workers,
    ...(settings.nginx === undefined ? {} : { nginx: settings.nginx }),
    accessLog: accessLog === 'off' ? accessLog : resolve(accessLog),
    onEvent,
  });
}

function noteNginxEvent({ event, message, reason }: NginxEvent, controller: Controller, log: Logger): void {
  const level = LOUD.has(event) ? 'error' : event === 'quarantined' ? 'warn' : 'info';
  log[level]({ event, ...(reason === undefined ? {} : { reason }) }, message);
  if (event === 'reloaded') controller.noteReload('nginx', reason ?? 'other', message);
}

async function listenAdmin(
  context: AdminContext,
  address: string,
  token: string | undefined,
): Promise<{ readonly app: AdminApp; readonly url: string }> {
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const app = await buildAdminApp(context, { token, host });
  try {
    return { app, url: await app.listen({ host, port: Number(port || 80) }) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `admin-address ${address} can't be listened on (${code}).`,
      'Give another with --admin-address.',
    );
  }
}
