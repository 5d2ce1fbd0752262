import { setTimeout } from 'node:timers/promises';
import type { Finding } from '../diagnostics/finding.ts';
import { isEmptyDelta } from '../model/diff.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import type { ObjectRef } from '../model/origin.ts';
import type { ResourceChange } from '../snapshot/resource.ts';
import type { SourceSink } from '../sources/source.ts';
import type { NameAnswer, Translator } from '../translate/translator.ts';
import { DirtyKeys } from './dirty-keys.ts';
import type { KnownNames } from './known-names.ts';
import type { NameQuery } from './name-query.ts';
import { NameResolver } from './name-resolver.ts';
import { SteadyTranslator } from './steady-translator.ts';

/** Milliseconds that the first full view waits for DNS, so that a restart doesn't empty backends whose names are being asked for. */
const FIRST_ANSWERS = 2000;
/** Milliseconds between looks at what depends on the clock. */
const TICK = 60_000;

export interface ModelFeedOptions {
  readonly translator: Translator;
  readonly query: NameQuery;
  readonly random: () => number;
  readonly known?: KnownNames;
  /** The model changed. Comes at most once a turn of the event loop, and not before `onSynced`. */
  readonly onChanged: (delta: ModelDelta, arrived: number) => void;
  /** What changed isn't known, because the translation threw: the whole model is to be compared. Comes as `onChanged` does. */
  readonly onReplaced: () => void;
  /** The model is complete for the first time. */
  readonly onSynced: () => void;
  /** Something about the findings may have changed. */
  readonly onFindings: () => void;
}

/** Between a source and the drivers: passes changes through the translator and DNS names through the resolver. */
export class ModelFeed implements SourceSink {
  readonly #options: ModelFeedOptions;
  readonly #translator: SteadyTranslator;
  readonly #resolver: NameResolver;
  readonly #reports = new Map<string, readonly Finding[]>();
  readonly #turn = new DirtyKeys();
  #arrived = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #complete = false;
  #synced = false;
  #stopped = false;
  readonly #tick: NodeJS.Timeout;

  constructor(options: ModelFeedOptions) {
    this.#options = options;
    this.#translator = new SteadyTranslator(options.translator, () => this.#lost());
    this.#resolver = new NameResolver({
      query: options.query,
      random: options.random,
      ...(options.known === undefined ? {} : { known: options.known }),
      onAnswer: (name, answer) => this.#resolved(name, answer),
    });
    this.#tick = setInterval(() => this.#dirty(this.#translator.tick()), TICK).unref();
  }

  get model(): Model {
    return this.#translator.model;
  }

  /** Whether the source has told everything that existed at start. */
  get isComplete(): boolean {
    return this.#complete;
  }

  /** Whether the model is complete, too. */
  get isSynced(): boolean {
    return this.#synced;
  }

  changed(changes: readonly ResourceChange[]): void {
    this.#dirty(this.#translator.update(changes));
    this.#resolver.watch(this.#translator.neededNames());
  }

  refuses(ref: ObjectRef): boolean {
    return this.#translator.refuses(ref);
  }

  report(subject: string, findings: readonly Finding[]): void {
    if (findings.length === 0) this.#reports.delete(subject);
    else this.#reports.set(subject, findings);
    this.#options.onFindings();
  }

  synced(): void {
    this.#complete = true;
    // A source that holds nothing has told of no change, and yet there are listeners.
    this.#dirty(this.#translator.update([]));
    void this.#awaitNames();
  }

  /** Of the source first, then of the translation. */
  findings(): readonly Finding[] {
    return [...[...this.#reports.values()].flat(), ...this.#translator.findings()];
  }

  /** Resolves when every DNS name was answered once and all changes so far were passed on. */
  async settle(): Promise<void> {
    await this.#resolver.answered();
    this.#pass();
  }

  stop(): void {
    this.#stopped = true;
    clearInterval(this.#tick);
    clearImmediate(this.#scheduled);
    this.#resolver.stop();
  }

  async #awaitNames(): Promise<void> {
    const patience = new AbortController();
    const giveUp = setTimeout(FIRST_ANSWERS, undefined, { signal: patience.signal }).catch(() => undefined);
    await Promise.race([this.#resolver.answered(), giveUp]);
    patience.abort();
    this.#resolver.useKnown();
    if (this.#stopped) return;
    this.#synced = true;
    this.#turn.clear();
    this.#options.onSynced();
  }

  #resolved(name: string, answer: NameAnswer): void {
    this.#dirty(this.#translator.resolved(name, answer));
  }

  #dirty(delta: ModelDelta): void {
    this.#options.onFindings();
    if (!this.#synced || this.#stopped || isEmptyDelta(delta)) return;
    if (this.#turn.isEmpty) this.#arrived = performance.now();
    this.#turn.add(delta);
    this.#scheduled ??= setImmediate(() => this.#pass());
  }

  #lost(): void {
    if (!this.#synced || this.#stopped) return;
    this.#turn.addEverything();
    this.#scheduled ??= setImmediate(() => this.#pass());
  }

  #pass(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#turn.isEmpty) return;
    const { everything, delta } = this.#turn.take();
    if (everything) this.#options.onReplaced();
    else this.#options.onChanged(delta, this.#arrived);
  }
}
