import { setTimeout } from 'node:timers/promises';
import type { Finding } from '../diagnostics/finding.ts';
import { isEmptyDelta } from '../model/diff.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import type { ObjectRef } from '../model/origin.ts';
import type { ResourceChange } from '../snapshot/resource.ts';
import type { Source, SourceActivity, SourceSink } from '../sources/source.ts';
import type { NameAnswer, Translator } from '../translate/translator.ts';
import { DirtyKeys } from './dirty-keys.ts';
import { Hold } from './hold.ts';
import type { KnownNames } from './known-names.ts';
import type { ModelFeed, ModelFeedSink } from './model-feed.ts';
import type { NameQuery } from './name-query.ts';
import { NameResolver } from './name-resolver.ts';
import { SteadyTranslator } from './steady-translator.ts';
import { until } from './until.ts';

/** Milliseconds that the first full view waits for DNS, so that a restart doesn't empty backends whose names are being asked for. */
const FIRST_ANSWERS = 2000;
/**
 * Milliseconds that changes wait for Secrets that they are the first to name, so that a host isn't served with another
 * certificate for the moment that it takes to fetch its own.
 */
const FIRST_LOOK = 1000;
/** Milliseconds between looks at what depends on the clock. */
const TICK = 60_000;

export interface TranslatedFeedOptions {
  readonly source: Source;
  readonly translator: Translator;
  readonly query: NameQuery;
  readonly random?: () => number;
  /** Keeps the last good addresses of DNS names. */
  readonly known?: KnownNames;
  /** Told of exceptions that nobody expected, and that were kept from doing harm. */
  readonly onFault?: (what: string, error: unknown) => void;
}

/** The model of a source's objects: passes changes through the translator and DNS names through the resolver. */
export class TranslatedFeed implements ModelFeed, SourceSink {
  readonly #options: TranslatedFeedOptions;
  readonly #translator: SteadyTranslator;
  readonly #resolver: NameResolver;
  readonly #reports = new Map<string, readonly Finding[]>();
  readonly #turn = new DirtyKeys();
  readonly #hold = new Hold(FIRST_LOOK, () => this.#schedule());
  #sink: ModelFeedSink | undefined;
  /** Before it has somewhere to deliver to, a source must not look. */
  readonly #begun = Promise.withResolvers<void>();
  readonly #allTold = Promise.withResolvers<void>();
  #arrived = 0;
  #scheduled: NodeJS.Immediate | undefined;
  #complete = false;
  #synced = false;
  #stopped = false;
  readonly #tick: NodeJS.Timeout;

  constructor(options: TranslatedFeedOptions) {
    this.#options = options;
    this.#translator = new SteadyTranslator(options.translator, () => this.#lost());
    this.#resolver = new NameResolver({
      query: options.query,
      random: options.random ?? Math.random,
      ...(options.known === undefined ? {} : { known: options.known }),
      onAnswer: (name, answer) => this.#resolved(name, answer),
    });
    this.#tick = setInterval(() => this.#dirty(this.#translator.tick()), TICK).unref();
  }

  get name(): string {
    return this.#options.source.name;
  }

  get model(): Model {
    return this.#translator.model;
  }

  get isComplete(): boolean {
    return this.#complete;
  }

  get isSynced(): boolean {
    return this.#synced;
  }

  start(sink: ModelFeedSink): Promise<void> {
    this.#sink = sink;
    const started = this.#options.source.start(this);
    this.#begun.resolve();
    return started;
  }

  healthy(): boolean {
    return this.#guard('asking the source how it is', () => this.#options.source.healthy()) === true;
  }

  problems(): readonly string[] {
    return this.#guard('asking the source what is wrong', () => this.#options.source.problems?.()) ?? [];
  }

  unread(): readonly string[] {
    return this.#guard('asking the source what it did not read', () => this.#options.source.unread?.()) ?? [];
  }

  activity(): readonly SourceActivity[] {
    return this.#guard('asking the source what it did', () => this.#options.source.activity?.()) ?? [];
  }

  locate(finding: Finding): Promise<Finding> {
    return this.#options.source.locate?.(finding) ?? Promise.resolve(finding);
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
    this.#sink?.noted();
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

  async settle(signal: AbortSignal): Promise<void> {
    await until(signal, this.#begun.promise);
    if (signal.aborted) return;
    await until(signal, this.#options.source.settle());
    await until(signal, this.#allTold.promise);
    await until(signal, this.#resolver.answered());
    this.#hold.end();
    this.#pass();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#tick);
    clearImmediate(this.#scheduled);
    this.#resolver.stop();
    await this.#options.source.stop();
  }

  async flush(): Promise<void> {
    await this.#options.known?.flush();
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
    this.#sink?.synced();
    this.#allTold.resolve();
  }

  #resolved(name: string, answer: NameAnswer): void {
    this.#dirty(this.#translator.resolved(name, answer));
  }

  #dirty(delta: ModelDelta): void {
    this.#tellNeeds();
    this.#sink?.noted();
    if (!this.#synced || this.#stopped || isEmptyDelta(delta)) return;
    if (this.#turn.isEmpty) this.#arrived = performance.now();
    this.#turn.add(delta);
    this.#schedule();
  }

  #lost(): void {
    if (!this.#synced || this.#stopped) return;
    this.#turn.addEverything();
    this.#schedule();
  }

  #tellNeeds(): void {
    const needs = this.#translator.takeSecretNeeds();
    if (needs.length === 0 || this.#stopped) return;
    const answered = this.#guard('telling the source which Secrets are needed', () =>
      this.#options.source.need?.(needs),
    );
    if (answered !== undefined && this.#synced) this.#hold.until(answered);
  }

  #schedule(): void {
    if (this.#stopped || this.#hold.isOn) return;
    this.#scheduled ??= setImmediate(() => this.#pass());
  }

  #pass(): void {
    clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    if (this.#turn.isEmpty) return;
    const { everything, delta } = this.#turn.take();
    if (everything) this.#sink?.replaced();
    else this.#sink?.changed(delta, this.#arrived);
  }

  /** A source that throws must not take others down with it. */
  #guard<Result>(what: string, work: () => Result): Result | undefined {
    try {
      return work();
    } catch (error) {
      this.#options.onFault?.(what, error);
      return undefined;
    }
  }
}
