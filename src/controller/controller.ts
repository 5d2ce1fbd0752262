import { setTimeout as delay } from 'node:timers/promises';
import { type Actor, createActor, type InspectionEvent } from 'xstate';
import type { Driver, DriverState } from '../drivers/driver.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { emptyModel, type Model } from '../model/model.ts';
import type { Source } from '../sources/source.ts';
import type { Translator } from '../translate/translator.ts';
import { type ControllerActorEvent, controllerMachine } from './controller-machine.ts';
import type { ApplyOutcome } from './driver-machine.ts';
import { FindingLedger } from './finding-ledger.ts';
import type { KnownNames } from './known-names.ts';
import { ModelFeed } from './model-feed.ts';
import type { NameQuery } from './name-query.ts';
import type { StateStore } from './state-store.ts';
import type { ReloadReasonView, Status } from './status.ts';
import { buildStatus, isReady } from './build-status.ts';

/** Milliseconds between looks at the load balancers. */
const OBSERVE = 2000;
/** Milliseconds that a source waits at most for the saved model to be in force before it is read. */
const SAVED_FIRST = 3000;
/** Most files that status names as not read. */
const MOST_UNREAD = 20;

export interface ControllerOptions {
  readonly source: Source;
  readonly translator: Translator;
  /** The first is the local data plane: readiness and the saved state are about it. */
  readonly drivers: readonly [Driver, ...Driver[]];
  readonly query: NameQuery;
  readonly version: string;
  /** Keeps the last good model; without one nothing is saved. */
  readonly store?: StateStore;
  /** Why something else that should outlive the process can't be saved just now. */
  readonly unsaved?: () => string | undefined;
  /** Keeps the last good addresses of DNS names. */
  readonly known?: KnownNames;
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
  reloaded?(driver: string, reason: string): void;
  failed?(driver: string, error: Error, attempt: number): void;
  /** Anything that `status` or `findings` shows may be different now. */
  changed?(): void;
  synced?(): void;
  /** An actor went into another state. */
  transition?(actor: string, state: string): void;
}

/** The running program, without its outer shell: source → translator → drivers, and what is to be told about them. */
export class Controller {
  readonly #options: Omit<ControllerOptions, 'saved'>;
  readonly #feed: ModelFeed;
  readonly #actor: Actor<typeof controllerMachine>;
  readonly #listeners = new Set<ControllerListener>();
  readonly #ledger = new FindingLedger();
  readonly #started = new Date();
  readonly #observed = new Map<string, DriverState>();
  /** What the last apply of each driver had found in the model. */
  readonly #planned = new Map<string, readonly Finding[]>();
  /** What each driver leaves out just now: as its last apply said, or as it was seen since. */
  readonly #leftOut = new Map<string, readonly Finding[]>();
  readonly #begun = Promise.withResolvers<void>();
  /** The local data plane has what it was first given, or failed at it. */
  readonly #tried = Promise.withResolvers<void>();
  /** Let go of when the source's takes its place: it is as large. */
  #saved: Model | undefined;
  #stopped = false;
  #live: Model;
  #origin: 'none' | 'saved' | 'source' = 'none';
  #reloads = 0;
  #reloadReasons: readonly ReloadReasonView[] = [];
  #sourceError: Error | undefined;
  #observing: NodeJS.Timeout | undefined;

  constructor({ saved, ...options }: ControllerOptions) {
    this.#options = options;
    this.#saved = saved;
    this.#live = emptyModel();
    this.#feed = new ModelFeed({
      translator: options.translator,
      query: options.query,
      random: options.random ?? Math.random,
      ...(options.known === undefined ? {} : { known: options.known }),
      onChanged: (delta, arrived) => this.#send({ type: 'changed', delta, arrived }),
      onReplaced: () => this.#send({ type: 'replaced' }),
      onSynced: () => this.#synced(),
      onFindings: () => {
        // Later: this may come out of a delivery, during which a source has something undelivered.
        queueMicrotask(() => this.#noteSourceHealth());
        this.#tell((listener) => listener.changed?.());
      },
    });
    this.#actor = createActor(controllerMachine, {
      id: 'controller',
      ...(options.inspect === undefined ? {} : { inspect: options.inspect }),
      input: {
        drivers: options.drivers,
        live: () => this.#live,
        random: options.random ?? Math.random,
        onApplied: (driver, outcome) => this.#applied(driver, outcome),
        onFailed: (driver, error, attempt) => {
          if (driver === options.drivers[0].name) this.#tried.resolve();
          this.#tell((listener) => listener.failed?.(driver, error, attempt));
          this.#tell((listener) => listener.changed?.());
        },
      },
    });
  }

  /**
   * Starts drivers and source. A saved model goes in force at once, before the source is read, which would take the time
   * of it; the source's replaces it when it is complete.
   * Resolves when the source has started; rejects with the source's error if it can't and nothing was saved.
   */
  async start(): Promise<void> {
    this.#actor.subscribe(() => this.#tell((listener) => listener.changed?.()));
    this.#watchTransitions();
    this.#actor.start();
    this.#observing = setInterval(() => void this.#observe(), OBSERVE).unref();
    if (this.#saved !== undefined) {
      this.#live = this.#saved;
      this.#origin = 'saved';
      this.#send({ type: 'replaced' });
      await Promise.race([this.#tried.promise, delay(SAVED_FIRST, undefined, { ref: false })]);
      if (this.#stopped) return;
    }
    try {
      const started = this.#options.source.start(this.#feed);
      this.#begun.resolve();
      await started;
    } catch (error) {
      if (!this.hasModel) throw error;
      this.#sourceError = error instanceof Error ? error : new Error(String(error));
    }
    this.#noteSourceHealth();
  }

  /** A load balancer was reloaded. Drivers tell it as it happens, also where no apply was the cause. */
  noteReload(driver: string, reason: string, detail: string): void {
    const at = (this.#options.now?.() ?? new Date()).toISOString();
    this.#reloads++;
    this.#reloadReasons = [{ at, driver, reason, detail, objects: [] }, ...this.#reloadReasons].slice(0, 10);
    this.#tell((each) => each.reloaded?.(driver, reason));
    this.#tell((each) => each.changed?.());
  }

  listen(listener: ControllerListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Whether there is a model to serve, or will be without anybody's help: a saved one, or all that the source has. */
  get hasModel(): boolean {
    return this.#origin === 'saved' || this.#feed.isComplete;
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
      quarantined: this.#quarantined(),
      reloads: this.#reloads,
      reloadReasons: this.#reloadReasons,
      savedState: this.#options.store,
      unsaved: this.#options.unsaved?.(),
    });
  }

  /** How the source is, and what of it is not read. */
  source(): Status['source'] {
    const { source } = this.#options;
    const error = this.#sourceError?.message;
    const problems = this.#guard('asking the source what is wrong', () => source.problems?.()) ?? [];
    const unread = this.#guard('asking the source what it did not read', () => source.unread?.()) ?? [];
    return {
      name: source.name,
      synced: this.#feed.isSynced,
      healthy: this.#sourceHealthy(),
      ...(error === undefined ? {} : { error }),
      problems: [...(error === undefined ? [] : [error]), ...problems],
      unread: { count: unread.length, files: unread.slice(0, MOST_UNREAD) },
    };
  }

  /** Whether the local data plane serves a complete model. */
  ready(): boolean {
    return isReady(this.#facts(), this.#options.drivers[0].name);
  }

  /** All that is to be said about objects: by the source, the translation and the drivers; each with when it was first seen. */
  findings(): readonly Finding[] {
    const planned = [...this.#planned.values()].flat();
    const all = [...this.#feed.findings(), ...planned, ...this.#quarantined()];
    return this.#ledger.stamp(all, this.#options.now?.() ?? new Date());
  }

  /** The finding with its line and column, where the source knows them. */
  locate(finding: Finding): Promise<Finding> {
    return this.#options.source.locate?.(finding) ?? Promise.resolve(finding);
  }

  /** Resolves to true when what the source holds now is in force in every driver, to false when the signal gives up first. */
  async settle(signal: AbortSignal): Promise<boolean> {
    // Before it has somewhere to deliver to, a source must not look.
    await until(signal, this.#begun.promise);
    if (signal.aborted) return false;
    try {
      await until(signal, this.#options.source.settle());
    } catch (error) {
      this.#fault('waiting for the source', error);
      return false;
    }
    while (!signal.aborted && !this.#feed.isSynced) await this.#change(signal);
    await until(signal, this.#feed.settle());
    const { generation } = this.#actor.getSnapshot().context;
    const settled = () => this.#drivers().every(([, { context }]) => context.appliedGeneration >= generation);
    while (!signal.aborted && !settled()) await this.#change(signal);
    return !signal.aborted;
  }

  /** Drivers finish what they are at; then the load balancers are left serving, or drained; what is in force is saved. */
  async stop(how: 'leave' | 'drain'): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#observing);
    this.#feed.stop();
    this.#send({ type: 'stop' });
    await this.#options.source.stop();
    const busy = () =>
      this.#drivers().some(([, snapshot]) => snapshot.matches('applying') || snapshot.matches('starting'));
    while (busy()) await this.#change();
    // Side by side: draining may take long, and somebody may lose patience.
    await Promise.all([
      this.#options.store?.close(),
      this.#options.known?.flush(),
      ...this.#options.drivers.map((driver) => driver.stop(how)),
    ]);
    this.#actor.stop();
  }

  #send(event: ControllerActorEvent): void {
    this.#actor.send(event);
  }

  #synced(): void {
    this.#live = this.#feed.model;
    this.#origin = 'source';
    this.#send({ type: 'synced' });
    this.#send({ type: 'replaced' });
    if (this.#saved !== undefined) this.#guard('saving the model', () => this.#options.store?.share(this.#live));
    this.#saved = undefined;
    this.#tell((listener) => listener.synced?.());
  }

  #applied(driver: string, outcome: ApplyOutcome): void {
    const first = !this.#planned.has(driver);
    if (driver === this.#options.drivers[0].name) this.#tried.resolve();
    this.#planned.set(driver, outcome.plan.findings);
    this.#leftOut.set(driver, outcome.applied.quarantined);
    if (first || outcome.applied.reloaded) void this.#observe();
    if (driver === this.#options.drivers[0].name) {
      this.#guard('saving the model', () => this.#options.store?.record(outcome.model, outcome.delta));
    }
    if (outcome.applied.reloaded) this.#nameReloadObjects(driver, outcome);
    this.#tell((listener) => listener.applied?.(driver, outcome));
  }

  /** A driver tells of a reload when it happens; which objects made it necessary stands in the plan. */
  #nameReloadObjects(driver: string, { plan }: ApplyOutcome): void {
    const objects = plan.reload?.origins.map((origin) => origin.object) ?? [];
    const newest = this.#reloadReasons.findIndex((reason) => reason.driver === driver);
    this.#reloadReasons = this.#reloadReasons.map((reason, index) =>
      index === newest ? { ...reason, objects } : reason,
    );
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
      drivers: this.#drivers(),
      observed: this.#observed,
    };
  }

  #quarantined(): readonly Finding[] {
    return [...this.#leftOut.values()].flat();
  }

  #sourceHealthy(): boolean {
    const healthy = this.#guard('asking the source how it is', () => this.#options.source.healthy());
    return this.#sourceError === undefined && healthy === true;
  }

  #noteSourceHealth(): void {
    const healthy = this.#sourceHealthy();
    if (healthy === this.#actor.getSnapshot().context.sourceHealthy) return;
    this.#send({ type: 'source.health', healthy });
  }

  async #observe(): Promise<void> {
    this.#noteSourceHealth();
    await Promise.all(
      this.#options.drivers.map(async (driver) => {
        const before = this.#planned.get(driver.name);
        const state = await driver.observe().catch(
          (error: unknown): DriverState => ({
            name: driver.name,
            healthy: false,
            detail: { error: error instanceof Error ? error.message : String(error) },
          }),
        );
        this.#observed.set(driver.name, state);
        const { findings } = state.detail;
        if (Array.isArray(findings) && this.#planned.get(driver.name) === before) {
          this.#leftOut.set(driver.name, findings as readonly Finding[]);
        }
        const failing =
          this.#actor.getSnapshot().context.drivers[driver.name]?.getSnapshot().context.error !== undefined;
        this.#send({ type: 'driver.health', driver: driver.name, healthy: state.healthy && !failing });
      }),
    );
  }

  #watchTransitions(): void {
    const tell = (name: string, state: string) => this.#tell((listener) => listener.transition?.(name, state));
    let last: unknown;
    this.#actor.subscribe(({ value }) => {
      if (value !== last) tell('controller', value);
      last = value;
    });
    for (const [name, actor] of Object.entries(this.#actor.getSnapshot().context.drivers)) {
      let lastOfDriver: unknown;
      actor.subscribe(({ value }) => {
        if (value === lastOfDriver) return;
        lastOfDriver = value;
        tell(`driver ${name}`, value);
        this.#tell((listener) => listener.changed?.());
      });
    }
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

/** Waits for the promise or the signal, whichever is first. */
async function until(signal: AbortSignal, promise: Promise<void>): Promise<void> {
  if (signal.aborted) return;
  let stop: (() => void) | undefined;
  const given = new Promise<void>((resolve) => {
    stop = resolve;
    signal.addEventListener('abort', resolve as () => void, { once: true });
  });
  await Promise.race([promise, given]);
  signal.removeEventListener('abort', stop as () => void);
}
