import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, createActor, type InspectionEvent } from 'xstate';
import type { Driver, DriverState } from '../drivers/driver.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { emptyModel, type Model, type ModelDelta } from '../model/model.ts';
import type { SourceActivity } from '../sources/source.ts';
import { type ControllerActorEvent, controllerMachine } from './controller-machine.ts';
import type { ApplyOutcome } from './driver-machine.ts';
import { DriverReports } from './driver-reports.ts';
import { FindingLedger } from './finding-ledger.ts';
import type { ModelFeed, ModelFeedSink } from './model-feed.ts';
import type { StateStore } from './state-store.ts';
import { ReloadLog } from './reload-log.ts';
import type { Status } from './status.ts';
import { buildStatus, isReady } from './build-status.ts';

/** Milliseconds between looks at the load balancers. */
const OBSERVE = 2000;
/** Milliseconds that a source waits at most for the saved model to be in force before it is read. */
const SAVED_FIRST = 3000;
/** Most files that status names as not read. */
const MOST_UNREAD = 20;

export interface ControllerOptions {
  readonly feed: ModelFeed;
  /**
   * The first is the local data plane: readiness and the saved state are about it. Without one, ready means that the model
   * is complete.
   */
  readonly drivers: readonly Driver[];
  readonly version: string;
  /** Keeps the last good model; without one nothing is saved. */
  readonly store?: StateStore;
  /** Why something else that should outlive the process can't be saved just now. */
  readonly unsaved?: () => string | undefined;
  /** The last good model of an earlier run. */
  readonly saved?: Model;
  readonly random?: () => number;
  readonly now?: () => Date;
  /** Told of exceptions that nobody expected, and that were kept from doing harm. */
  readonly onFault?: (what: string, error: unknown) => void;
  /** Sees every message and every transition of the actors (XState's inspection). */
  readonly inspect?: (event: InspectionEvent) => void;
}

/** Told as things happen; every method may be left out. */
export interface ControllerListener {
  applied?(driver: string, outcome: ApplyOutcome): void;
  reloaded?(driver: string, reason: string, detail: string): void;
  failed?(driver: string, error: Error, attempt: number): void;
  /** Anything that `status` or `findings` shows may be different now. */
  changed?(): void;
  synced?(): void;
  /** The model has another generation: these keys of it changed; undefined: any may have. Comes before a driver learns of it. */
  moved?(generation: number, delta: ModelDelta | undefined): void;
  /** A driver that came while running is gone. */
  removed?(driver: string): void;
  /** An actor went into another state. */
  transition?(actor: string, state: string): void;
}

/** The running program, without its outer shell: a feed of the model → drivers, and what is to be told about them. */
export class Controller {
  readonly #options: Omit<ControllerOptions, 'saved'>;
  readonly #feed: ModelFeed;
  /** Name of the local data plane's driver. */
  readonly #local: string | undefined;
  readonly #actor: Actor<typeof controllerMachine>;
  readonly #listeners = new Set<ControllerListener>();
  readonly #ledger = new FindingLedger();
  readonly #started = new Date();
  readonly #reports = new DriverReports();
  readonly #reloads = new ReloadLog();
  /** The local data plane has what it was first given, or failed at it. */
  readonly #tried = Promise.withResolvers<void>();
  /** Let go of when the source's takes its place: it is as large. */
  #saved: Model | undefined;
  #stopped = false;
  #live: Model;
  #origin: 'none' | 'saved' | 'source' = 'none';
  #sourceError: Error | undefined;
  #observing: NodeJS.Timeout | undefined;

  constructor({ saved, ...options }: ControllerOptions) {
    this.#options = options;
    this.#saved = saved;
    this.#live = emptyModel();
    this.#feed = options.feed;
    this.#local = options.drivers[0]?.name;
    if (this.#local === undefined) this.#tried.resolve();
    this.#actor = createActor(controllerMachine, {
      id: 'controller',
      ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
      input: {
        drivers: options.drivers,
        live: () => this.#live,
        random: options.random ?? Math.random,
        onApplied: (driver, outcome) => this.#applied(driver, outcome),
        onFailed: (driver, error, attempt) => {
          if (driver === this.#local) this.#tried.resolve();
          this.#tell((listener) => listener.failed?.(driver, error, attempt));
          this.#tell((listener) => listener.changed?.());
        },
      },
    });
  }

  /**
   * Starts drivers and feed. A saved model goes in force at once, before the source is read, which would take the time
   * of it; the source's replaces it when it is complete.
   * Resolves when the feed has started; rejects with its error if it can't and nothing was saved.
   */
  async start(): Promise<void> {
    this.#actor.subscribe(() => this.#tell((listener) => listener.changed?.()));
    this.#watchTransitions();
    this.#actor.start();
    this.#observing = setInterval(() => void this.#observe(), OBSERVE).unref();
    if (this.#saved !== undefined) {
      this.#live = this.#saved;
      this.#origin = 'saved';
      this.#move(undefined);
      await Promise.race([this.#tried.promise, delay(SAVED_FIRST, undefined, { ref: false })]);
      if (this.#stopped) return;
    }
    try {
      await this.#feed.start(this.#sink());
    } catch (error) {
      if (!this.hasModel) throw error;
      this.#sourceError = error instanceof Error ? error : new Error(String(error));
    }
    this.#noteSourceHealth();
  }

  /** A load balancer was reloaded. Drivers tell it as it happens, also where no apply was the cause. */
  noteReload(driver: string, reason: string, detail: string): void {
    const at = (this.#options.now?.() ?? new Date()).toISOString();
    this.#reloads.note({ at, driver, reason, detail });
    this.#tell((each) => each.reloaded?.(driver, reason, detail));
    this.#tell((each) => each.changed?.());
  }

  /** Has one more driver follow the model, from its next generation or, if there is one already, from now on. */
  addDriver(driver: Driver): void {
    this.#send({ type: 'driver.added', driver });
    this.#watchDriver(driver.name);
    this.#tell((each) => each.changed?.());
  }

  /** Forgets a driver that was added. What it is at may go on, and is told to nobody. */
  removeDriver(name: string): void {
    if (this.#actor.getSnapshot().context.drivers[name] === undefined) return;
    this.#send({ type: 'driver.removed', driver: name });
    this.#reports.forget(name);
    this.#tell((each) => each.removed?.(name));
    this.#tell((each) => each.changed?.());
  }

  /** Looks at the load balancers at once, rather than at the next turn: something is different about them. */
  look(): void {
    void this.#observe();
  }

  listen(listener: ControllerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether there is a model to serve, or will be without anybody's help: a saved one, or all that the source has. */
  get hasModel(): boolean {
    return this.#origin === 'saved' || this.#feed.isComplete;
  }

  /** Raised by every change of the model. */
  get generation(): number {
    return this.#actor.getSnapshot().context.generation;
  }

  /** The newest generation that is in force in every driver; without any, the newest. */
  get appliedGeneration(): number {
    return Math.max(
      0,
      Math.min(this.generation, ...this.#drivers().map(([, { context }]) => context.appliedGeneration)),
    );
  }

  /** Whether what the source has told so far is in force in every driver. */
  get isCaughtUp(): boolean {
    const { generation } = this.#actor.getSnapshot().context;
    return this.#feed.isSynced && this.#drivers().every(([, { context }]) => context.appliedGeneration >= generation);
  }

  /** The model that the drivers work towards. */
  get model(): Model {
    return this.#live;
  }

  status(): Status {
    return buildStatus({
      ...this.#facts(),
      version: this.#options.version,
      started: this.#started,
      source: this.source(),
      model: this.#live,
      origin: this.#origin,
      findings: this.findings(),
      quarantined: this.#reports.quarantined(),
      reloads: this.#reloads.count,
      reloadReasons: this.#reloads.reasons,
      savedState: this.#options.store,
      unsaved: this.#options.unsaved?.(),
    });
  }

  /** How the source is, and what of it is not read. */
  source(): Status['source'] {
    const error = this.#sourceError?.message;
    const unread = this.#feed.unread();
    return {
      name: this.#feed.name,
      synced: this.#feed.isSynced,
      healthy: this.#sourceHealthy(),
      ...(error === undefined ? {} : { error }),
      problems: [...(error === undefined ? [] : [error]), ...this.#feed.problems()],
      unread: { count: unread.length, files: unread.slice(0, MOST_UNREAD) },
    };
  }

  /** Whether the local data plane serves a complete model; where there is none, whether there is a complete model to hand out. */
  ready(): boolean {
    return isReady(this.#facts());
  }

  /** All that is to be said about objects: by the source, the translation and the drivers; each with when it was first seen. */
  findings(): readonly Finding[] {
    const { planned, quarantined } = this.driverFindings();
    const all = [...this.#feed.findings(), ...planned, ...quarantined];
    return this.#ledger.stamp(all, this.#options.now?.() ?? new Date());
  }

  /** What the drivers have to say about the model: what they found in it, and what they leave out just now. */
  driverFindings(): { readonly planned: readonly Finding[]; readonly quarantined: readonly Finding[] } {
    return { planned: this.#reports.planned(), quarantined: this.#reports.quarantined() };
  }

  /** What the source did so far, by resource: for metrics. */
  get sourceActivity(): readonly SourceActivity[] {
    return this.#feed.activity?.() ?? [];
  }

  /** The finding with its line and column, where the source knows them. */
  locate(finding: Finding): Promise<Finding> {
    return this.#feed.locate(finding);
  }

  /**
   * Resolves to true when what the source holds now is in force in every driver (or in that one), to false when the signal
   * gives up first, or when it can't be known.
   */
  async settle(signal: AbortSignal, only?: string): Promise<boolean> {
    try {
      await this.#feed.settle(signal);
    } catch (error) {
      this.#fault('waiting for the source', error);
      return false;
    }
    const { generation } = this;
    const settled = () =>
      this.#drivers().every(
        ([name, { context }]) => (only !== undefined && name !== only) || context.appliedGeneration >= generation,
      );
    while (!signal.aborted && !settled()) await this.#change(signal);
    return !signal.aborted;
  }

  /** Drivers finish what they are at; then the load balancers are left serving, or drained; what is in force is saved. */
  async stop(how: 'leave' | 'drain'): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#observing);
    const stopped = this.#feed.stop();
    this.#send({ type: 'stop' });
    await stopped;
    const busy = () =>
      this.#drivers().some(([, snapshot]) => snapshot.matches('applying') || snapshot.matches('starting'));
    while (busy()) await this.#change();
    // Side by side: draining may take long, and somebody may lose patience.
    await Promise.all([
      this.#options.store?.close(),
      this.#feed.flush(),
      ...this.#drivers().map(([, { context }]) => context.driver.stop(how)),
    ]);
    this.#actor.stop();
  }

  #send(event: ControllerActorEvent): void {
    this.#actor.send(event);
  }

  #sink(): ModelFeedSink {
    return {
      changed: (delta, arrived) => this.#move(delta, arrived),
      replaced: () => this.#move(undefined),
      synced: () => this.#synced(),
      noted: () => {
        // Later: this may come out of a delivery, during which a source has something undelivered.
        queueMicrotask(() => this.#noteSourceHealth());
        this.#tell((listener) => listener.changed?.());
      },
    };
  }

  #move(delta: ModelDelta | undefined, arrived = performance.now()): number {
    this.#tell((listener) => listener.moved?.(this.generation + 1, delta));
    this.#send(delta === undefined ? { type: 'replaced' } : { type: 'changed', delta, arrived });
    return this.generation;
  }

  #synced(): number {
    this.#live = this.#feed.model;
    this.#origin = 'source';
    this.#send({ type: 'synced' });
    const generation = this.#move(undefined);
    if (this.#saved !== undefined) this.#guard('saving the model', () => this.#options.store?.share(this.#live));
    this.#saved = undefined;
    this.#tell((listener) => listener.synced?.());
    return generation;
  }

  #applied(driver: string, outcome: ApplyOutcome): void {
    const first = this.#reports.applied(driver, outcome);
    if (driver === this.#local) this.#tried.resolve();
    if (first || outcome.applied.reloaded) void this.#observe();
    if (driver === this.#local) {
      this.#guard('saving the model', () => this.#options.store?.record(outcome.model, outcome.delta));
    }
    if (outcome.applied.reloaded) this.#reloads.nameObjects(driver, outcome);
    this.#tell((listener) => listener.applied?.(driver, outcome));
  }

  #drivers() {
    return Object.entries(this.#actor.getSnapshot().context.drivers).map(
      ([name, actor]) => [name, actor.getSnapshot()] as const,
    );
  }

  #facts() {
    const snapshot = this.#actor.getSnapshot();
    return {
      state: snapshot.value,
      generation: snapshot.context.generation,
      local: this.#local,
      synced: this.#feed.isSynced,
      drivers: this.#drivers(),
      observed: this.#reports.observed,
    };
  }

  #sourceHealthy(): boolean {
    return this.#sourceError === undefined && this.#feed.healthy();
  }

  #noteSourceHealth(): void {
    const healthy = this.#sourceHealthy();
    if (healthy === this.#actor.getSnapshot().context.sourceHealthy) return;
    this.#send({ type: 'source.health', healthy });
  }

  async #observe(): Promise<void> {
    this.#noteSourceHealth();
    await Promise.all(
      Object.values(this.#actor.getSnapshot().context.drivers).map(async (actor) => {
        const { driver } = actor.getSnapshot().context;
        const seen = this.#reports.look(driver.name);
        const state = await driver.observe().catch(
          (error: unknown): DriverState => ({
            name: driver.name,
            healthy: false,
            detail: { error: error instanceof Error ? error.message : String(error) },
          }),
        );
        if (this.#actor.getSnapshot().context.drivers[driver.name] !== actor) return;
        seen(state);
        const failing =
          this.#actor.getSnapshot().context.drivers[driver.name]?.getSnapshot().context.error !== undefined;
        this.#send({ type: 'driver.health', driver: driver.name, healthy: state.healthy && !failing });
      }),
    );
  }

  #watchTransitions(): void {
    let last: unknown;
    this.#actor.subscribe(({ value }) => {
      if (value !== last) this.#tell((listener) => listener.transition?.('controller', value));
      last = value;
    });
    for (const { name } of this.#options.drivers) this.#watchDriver(name);
  }

  #watchDriver(name: string): void {
    let last: unknown;
    this.#actor.getSnapshot().context.drivers[name]?.subscribe(({ value }) => {
      if (value === last) return;
      last = value;
      this.#tell((listener) => listener.transition?.(`driver ${name}`, value));
      this.#tell((listener) => listener.changed?.());
    });
  }

  #tell(call: (listener: ControllerListener) => void): void {
    for (const listener of this.#listeners) this.#guard('telling a listener', () => call(listener));
  }

  /** One that throws must not take actors and other listeners down with it. */
  #guard<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.#fault(what, error);
      return undefined;
    }
  }

  #fault(what: string, error: unknown): void {
    this.#options.onFault?.(what, error);
  }

  /** The next time that anything changes, or the signal gives up. */
  #change(signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        forget();
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const forget = this.listen({ changed: done });
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
