import type { Logger } from 'pino';
import { Metrics } from '../admin/metrics.ts';
import type { AdminContext } from '../admin/admin-app.ts';
import type { Settings } from '../config/settings.ts';
import { Controller, type ControllerOptions } from '../controller/controller.ts';
import { Drain } from '../controller/drain.ts';
import { CodedError } from '../lib/coded-error.ts';
import { weirVersion } from '../lib/weir-version.ts';
import type { WriteCounts } from '../status/write-counts.ts';
import { durationSeconds } from './duration.ts';
import { leanHeap } from './lean-heap.ts';
import { type ListeningAdmin, listenAdmin } from './listen-admin.ts';
import { logController } from './log-controller.ts';
import { logFault } from './log-fault.ts';
import { HOPELESS } from './nginx-for.ts';
import type { HeldDirectory } from './state-for.ts';

export interface RunningWeir {
  readonly controller: Controller;
  /** URL of the admin server. */
  readonly admin: string;
  /** Resolves if this machine has no load balancer that could ever be started; waiting would not help. */
  readonly hopeless: Promise<CodedError>;
  /** What comes before `stop('drain')` where clients are to lose nothing. */
  readonly drain: Drain;
  stop(how: 'leave' | 'drain'): Promise<void>;
}

/** What makes a command: where its model comes from, who is to follow it, and what else belongs to it. */
export interface Parts {
  readonly controller: Omit<ControllerOptions, 'version' | 'onFault'>;
  /** Counters of the data plane, for the metrics. */
  readonly counts?: ConstructorParameters<typeof Metrics>[1];
  /** What is written to the cluster, for the metrics. */
  readonly writes?: WriteCounts | undefined;
  readonly regex?: NonNullable<AdminContext['regex']>;
  /** Told where the admin server listens, before the controller starts. */
  listening?(admin: ListeningAdmin['bound']): void;
  /** Called before the controller starts, and awaited. */
  before?(controller: Controller): Promise<void>;
  /** Called when the controller has started; may throw a UsageError, which ends the program. */
  started?(controller: Controller): void;
  /** Called first when everything is to stop. */
  stop?(): Promise<void>;
  /** What it does, for the log: `serving ./manifests`. */
  readonly what: string;
}

/** The parts may need the controller later, when it runs. */
export interface PartsContext {
  readonly controller: Controller;
}

/** Puts a program together and starts it. `make` makes what the commands differ in. The held directory is released at the end, also if it fails. */
export async function startParts(
  settings: Settings,
  log: Logger,
  held: HeldDirectory,
  make: (context: PartsContext) => Promise<Parts>,
): Promise<RunningWeir> {
  const undo: (() => Promise<void>)[] = [() => held.release()];
  const undoAll = async () => {
    for (const each of undo.splice(0).reverse()) await each();
  };
  try {
    let controller: Controller | undefined;
    const parts = await make({
      get controller() {
        if (controller === undefined) throw new Error('the controller is not made yet');
        return controller;
      },
    });
    const made = new Controller({ ...parts.controller, version: weirVersion(), onFault: logFault(log) });
    controller = made;
    const drain = new Drain({
      drivers: parts.controller.drivers,
      // Without a load balancer of its own nobody is its client.
      delay: parts.controller.drivers.length === 0 ? 0 : durationSeconds(settings['drain-delay']) * 1000,
      onFault: logFault(log),
      onChange: (draining) =>
        log.info(draining ? 'draining: each answer is the last of its connection' : 'no longer draining'),
    });
    const metrics = new Metrics(made, parts.counts, drain, parts.writes);
    const hopeless = Promise.withResolvers<CodedError>();
    made.listen(metrics);
    made.listen(logController(made, log, HOPELESS));
    made.listen(leanHeap(() => made.isCaughtUp));
    made.listen({
      failed: (_driver, error) => {
        if (error instanceof CodedError && HOPELESS.has(error.code)) hopeless.resolve(error);
      },
    });
    const context = { controller: made, metrics, drain, ...(parts.regex === undefined ? {} : { regex: parts.regex }) };
    const admin = await listenAdmin(context, settings, held.directory, log);
    undo.push(() => admin.close());
    parts.listening?.(admin.bound);
    let how: 'leave' | 'drain' = 'leave';
    let begun = false;
    undo.push(async () => {
      await parts.stop?.();
      if (begun) await made.stop(how);
    });
    await parts.before?.(made);
    begun = true;
    await made.start();
    try {
      parts.started?.(made);
    } catch (error) {
      how = 'drain';
      throw error;
    }
    log.info(
      { http: settings['http-port'], https: settings['https-port'], admin: admin.url, state: held.directory },
      parts.what,
    );
    return {
      controller: made,
      admin: admin.url,
      hopeless: hopeless.promise,
      drain,
      stop(chosen) {
        how = chosen;
        return undoAll();
      },
    };
  } catch (error) {
    await undoAll();
    throw error;
  }
}
