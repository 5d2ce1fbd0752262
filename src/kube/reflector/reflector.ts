import { backOff } from '../../lib/back-off.ts';
import { type Clock, pause, SYSTEM_CLOCK } from '../../lib/clock.ts';
import type { KubeClient } from '../kube-client.ts';
import { KubeError } from '../kube-error.ts';
import type { KubeResource, ResourceScope } from '../kube-resource.ts';
import { listPages } from '../list-pages.ts';
import type { ReflectorSink, ReflectorState } from '../reflector-sink.ts';
import { ChangeBatch } from './change-batch.ts';
import { KnownObjects } from './known-objects.ts';
import { recoveryFrom } from './recovery.ts';
import type { ReflectorEvent } from './reflector-event.ts';
import { compareResourceVersions } from './resource-version.ts';
import { SilenceGuard } from './silence-guard.ts';
import type { WatchEvent } from './watch-event.ts';
import { WatchListSupport } from './watch-list-support.ts';
import { WatchSession } from './watch-session.ts';

export interface ReflectorOptions {
  readonly client: Pick<KubeClient, 'request' | 'stream'>;
  readonly resource: KubeResource;
  readonly scope?: ResourceScope;
  readonly sink: ReflectorSink;
  readonly onEvent?: (event: ReflectorEvent) => void;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const LEAST_WATCH_SECONDS = 300;
const MOST_WATCH_SECONDS = 600;
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 15_000;
/** A missing right or type: somebody has to do something. */
const SLOW_PAUSE = 60_000;
/** After a watch that lasted this long, or told something, the next failure is a first one again. */
const PROVEN_MS = 5_000;
/** An end before its time is a server that goes down, and all its watches end at once. */
const EARLY_MS = 5_000;
const SPREAD_MS = 1_000;
const LIST_PAUSE = 10_000;
const PAGE_PATIENCE = 60_000;
/** Watches in a row that never came to the end of what is there: then it is listed. */
const INITIAL_TRIES = 3;

/**
 * Keeps a sink told of the objects of a scope, as the server has them, until it is stopped; whatever fails is tried again. Where it
 * can it goes on from the version that it reached; a list, where it must, tells the difference only.
 */
export class Reflector {
  readonly #options: ReflectorOptions;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #support: WatchListSupport;
  readonly #known = new KnownObjects();
  readonly #stop = new AbortController();
  readonly #batch: ChangeBatch;
  /** All up to here has been told. */
  #version: string | undefined;
  /** The newest that was seen, which a list must not be older than. */
  #newest: string | undefined;
  #synced = false;
  #state: ReflectorState['state'] | undefined;
  #initial = false;
  #initialFailures = 0;
  #opened = false;
  /** The watch before said nothing at all, not even a bookmark. */
  #unheard = false;
  #justListed = false;
  #listedAt = Number.NEGATIVE_INFINITY;
  #attempt = 0;
  #session: WatchSession | undefined;
  #sinkFailed: unknown;

  constructor(options: ReflectorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#random = options.random ?? Math.random;
    this.#support = WatchListSupport.of(options.client);
    this.#batch = new ChangeBatch(
      (changes) => {
        if (this.#stopped) return;
        this.#options.sink.changed(changes);
        this.#note({ type: 'changes', resource: this.#options.resource.plural, count: changes.length });
      },
      (error) => {
        this.#sinkFailed = error;
        this.#session?.abort();
      },
    );
  }

  /** How many objects the sink has been told of. */
  get size(): number {
    return this.#known.size;
  }

  /** Resolves when it has stopped. */
  async run(): Promise<void> {
    while (!this.#stopped) {
      try {
        await this.#round();
      } catch (error) {
        if (!this.#stopped) await this.#recover(error);
      }
    }
  }

  /** From here on the sink is told nothing more. */
  stop(): void {
    this.#batch.drop();
    this.#stop.abort();
  }

  get #stopped(): boolean {
    return this.#stop.signal.aborted;
  }

  /** One watch, with a list before it where nothing is known to go on from. */
  async #round(): Promise<void> {
    this.#initial = false;
    this.#opened = false;
    this.#justListed = this.#version === undefined;
    if (this.#version === undefined) {
      this.#listedAt = this.#clock.now();
      this.#tell({ state: 'listing' });
      this.#initial = this.#support.supported && this.#initialFailures < INITIAL_TRIES;
      this.#note({
        type: 'list',
        resource: this.#options.resource.plural,
        by: this.#initial ? 'initial-events' : 'pages',
      });
      this.#known.beginList();
      if (!this.#initial) await this.#list();
    }
    if (this.#unheard && !this.#justListed) await this.#askVersion();
    if (!this.#stopped) await this.#watch();
  }

  async #list(): Promise<void> {
    const { client, resource, scope } = this.#options;
    const silence = new AbortController();
    const guard = new SilenceGuard(this.#clock, PAGE_PATIENCE, () => silence.abort());
    const signal = AbortSignal.any([this.#stop.signal, silence.signal]);
    let version: string | undefined;
    try {
      for await (const page of listPages(client, resource, scope, { signal })) {
        guard.heard();
        if (page.restarted) this.#known.beginList();
        version = page.resourceVersion;
        this.#checkTime(version);
        for (const object of page.items) this.#batch.add(this.#known.put(object) ?? []);
        this.#flush();
        if (this.#stopped) return;
      }
    } catch (error) {
      if (!silence.signal.aborted || this.#stopped) throw error;
      throw new KubeError(`list ${resource.plural}: no page came for ${PAGE_PATIENCE / 1000} s`, { cause: error });
    } finally {
      guard.stop();
    }
    if (version !== undefined) this.#listed(version);
  }

  async #watch(): Promise<void> {
    const { client, resource, scope = {} } = this.#options;
    const seconds = LEAST_WATCH_SECONDS + Math.floor(this.#random() * (MOST_WATCH_SECONDS - LEAST_WATCH_SECONDS));
    const from = this.#version;
    const session = new WatchSession({
      client,
      resource,
      scope,
      clock: this.#clock,
      from,
      timeoutSeconds: seconds,
      signal: this.#stop.signal,
    });
    this.#session = session;
    let openedAt = this.#clock.now();
    let heard = false;
    try {
      const opened = (): void => {
        openedAt = this.#clock.now();
        this.#opened = true;
        this.#note({ type: 'watch', resource: resource.plural, resumed: !this.#justListed });
        if (!this.#initial) this.#tell({ state: 'watching' });
      };
      for await (const event of session.events(opened)) {
        if (this.#stopped) return;
        this.#take(event, session);
        if (this.#sinkFailed !== undefined) throw this.#sinkFailed;
        heard ||= !this.#initial;
      }
    } finally {
      this.#session = undefined;
      if (this.#opened) this.#unheard = !heard;
      if (heard || (!this.#initial && this.#clock.now() - openedAt >= PROVEN_MS)) this.#attempt = 0;
      if (!this.#stopped) this.#flush();
    }
    const lasted = this.#clock.now() - openedAt;
    if (this.#stopped) return;
    if (this.#initial) throw new KubeError(`watch ${resource.plural}: it ended before all that is there had come`);
    if (!heard && lasted < PROVEN_MS) throw new KubeError(`watch ${resource.plural}: it ended as soon as it had begun`);
    if (lasted < seconds * 1000 - EARLY_MS) await pause(this.#clock, this.#random() * SPREAD_MS, this.#stop.signal);
  }

  #take(event: WatchEvent, session: WatchSession): void {
    if (event.type === 'bookmark') {
      if (event.initialEnd && this.#initial) {
        this.#checkTime(event.resourceVersion);
        this.#listed(event.resourceVersion);
        this.#initial = false;
        this.#initialFailures = 0;
        session.initialOver();
        this.#tell({ state: 'watching' });
      } else if (!this.#initial) {
        this.#reached(event.resourceVersion);
      }
      return;
    }
    const { object, type } = event;
    const changes = type === 'delete' ? this.#known.delete(object) : this.#known.put(object, this.#version);
    if (changes === undefined) {
      const { plural } = this.#options.resource;
      throw new KubeError(`watch ${plural}: ${object.metadata.name} came out of order, so all is listed anew`, {
        status: 410,
      });
    }
    this.#batch.add(changes);
    if (!this.#initial) this.#reached(object.metadata.resourceVersion);
  }

  /** The list is whole. */
  #listed(version: string): void {
    this.#batch.add(this.#known.endList());
    this.#flush();
    this.#version = version;
    this.#newest = version;
    if (this.#synced || this.#stopped) return;
    this.#synced = true;
    this.#options.sink.synced();
  }

  #reached(version: string): void {
    if (this.#version !== undefined && isOlder(version, this.#version)) return;
    this.#version = version;
    this.#newest = version;
  }

  /** A list is the newest there is. One from before what was seen: the server was restored from a backup, and counts anew from there. */
  #checkTime(version: string): void {
    if (this.#newest === undefined || !isOlder(version, this.#newest)) return;
    const { plural } = this.#options.resource;
    const message = `list ${plural}: the server is at version ${version}, after it was at ${this.#newest}: was it restored from a backup?`;
    this.#known.forgetVersions();
    this.#newest = undefined;
    throw new KubeError(message, { status: 410 });
  }

  /** A server that was restored from a backup lets a watch from what is now the future wait, without a word. */
  async #askVersion(): Promise<void> {
    const { client, resource, scope } = this.#options;
    for await (const { resourceVersion } of listPages(client, resource, scope, {
      signal: this.#stop.signal,
      limit: 1,
    })) {
      this.#checkTime(resourceVersion);
      return;
    }
  }

  #flush(): void {
    this.#batch.flush();
    if (this.#sinkFailed !== undefined) throw this.#sinkFailed;
  }

  async #recover(error: unknown): Promise<void> {
    this.#attempt += 1;
    const { relist, atOnce, withoutWatchList, slowly, least } = recoveryFrom(error, this.#initial, this.#attempt);
    if (this.#initial && this.#opened) this.#initialFailures += 1;
    if (withoutWatchList) this.#support.refused();
    if (relist) this.#version = undefined;
    if (!(error instanceof KubeError)) {
      this.#sinkFailed = undefined;
      this.#batch.drop();
      this.#known.forgetVersions();
    }
    const reason = error instanceof Error ? error : new Error(String(error));
    this.#note({ type: 'retry', resource: this.#options.resource.plural, error: reason, relist });
    if (atOnce && this.#attempt === 1 && this.#mayListAgain(withoutWatchList)) return;
    const retryIn = Math.max(
      least * (1 + this.#random() / 4),
      slowly === undefined
        ? backOff(this.#attempt, this.#random, FIRST_PAUSE, LONGEST_PAUSE)
        : backOff(1, this.#random, SLOW_PAUSE, SLOW_PAUSE),
    );
    this.#state = undefined;
    this.#options.sink.state({
      state: 'waiting',
      error: reason,
      forbidden: slowly === 'forbidden',
      absent: slowly === 'absent',
      retryIn: Math.round(retryIn),
    });
    await pause(this.#clock, retryIn, this.#stop.signal);
  }

  /** Lists cost the server most, so whatever goes on, they don't follow each other at once. */
  #mayListAgain(otherwise: boolean): boolean {
    return otherwise || this.#clock.now() - this.#listedAt >= LIST_PAUSE;
  }

  #tell(state: ReflectorState): void {
    if (this.#stopped || this.#state === state.state) return;
    this.#state = state.state;
    this.#options.sink.state(state);
  }

  #note(event: ReflectorEvent): void {
    this.#options.onEvent?.(event);
  }
}

function isOlder(a: string, b: string): boolean {
  const order = compareResourceVersions(a, b);
  return order !== undefined && order < 0;
}
