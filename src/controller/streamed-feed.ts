import { setTimeout as delay } from 'node:timers/promises';
import type { Finding } from '../diagnostics/finding.ts';
import { equalParts } from '../model/equality.ts';
import { emptyDelta, isEmptyDelta } from '../model/diff.ts';
import { MODEL_TABLES, type Model, type ModelDelta, type ModelTable } from '../model/model.ts';
import type { PartLine } from '../model/part-line.ts';
import { checkShape } from '../model/schema-check.ts';
import type { Commit, ModelClient, ModelClientHost } from '../stream/model-client.ts';
import type { PatternQuestion, Position } from '../stream/messages.ts';
import { partDigest } from '../stream/part-digest.ts';
import type { ModelFeed, ModelFeedSink } from './model-feed.ts';
import { until } from './until.ts';

/** Milliseconds until the controller is asked again whether all is in force. */
const ASK_AGAIN = 200;

export interface StreamedFeedOptions {
  /** What an earlier run has left: only what differs is asked for. */
  readonly saved?: Model;
  /** Makes the client that speaks to the controller on behalf of this feed. */
  readonly client: (host: ModelClientHost) => ModelClient;
  readonly match: (question: PatternQuestion) => Promise<object>;
  /** A commit became this generation of the controller actor, or changed nothing in what was the newest. */
  readonly onCommit: (commit: number, generation: number) => void;
}

/** The model of a controller elsewhere, followed over its stream. */
export class StreamedFeed implements ModelFeed, ModelClientHost {
  readonly name = 'stream';
  readonly client: ModelClient;
  readonly #options: Omit<StreamedFeedOptions, 'saved'>;
  readonly #tables: { readonly [Table in ModelTable]: Map<string, object> };
  /** Parts that this version doesn't understand, by table and key. */
  readonly #strange = new Map<string, string>();
  #position: Position | undefined;
  #generation = 0;
  #sink: ModelFeedSink | undefined;
  #synced = false;
  #stopped = false;

  constructor({ saved, ...options }: StreamedFeedOptions) {
    this.#options = options;
    const table = (name: ModelTable) => new Map<string, object>(saved?.[name]);
    this.#tables = {
      certificates: table('certificates'),
      backends: table('backends'),
      listeners: table('listeners'),
      hosts: table('hosts'),
      l4Routes: table('l4Routes'),
    };
    this.client = options.client(this);
  }

  get model(): Model {
    return this.#tables as unknown as Model;
  }

  get isComplete(): boolean {
    return this.#synced;
  }

  get isSynced(): boolean {
    return this.#synced;
  }

  async start(sink: ModelFeedSink): Promise<void> {
    this.#sink = sink;
    this.client.start();
  }

  healthy(): boolean {
    return this.client.healthy && this.#strange.size === 0;
  }

  problems(): readonly string[] {
    const [strange] = this.#strange;
    const ours =
      strange === undefined
        ? []
        : [
            `${this.#strange.size} parts of the controller's model are not understood by this version of weir and stay as they were: ${strange[0]}: ${strange[1]}`,
          ];
    return [...this.client.problems(), ...ours];
  }

  unread(): readonly string[] {
    return [];
  }

  /** They are the controller's to tell. */
  findings(): readonly Finding[] {
    return [];
  }

  async locate(finding: Finding): Promise<Finding> {
    return finding;
  }

  async settle(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      // With no controller, or one that goes away meanwhile, it is not known what the source holds.
      const asked = this.client.settle().catch(() => delay(ASK_AGAIN, false));
      const given = Promise.withResolvers<boolean>();
      void until(signal, given.promise).then(() => given.resolve(false));
      if (await Promise.race([asked, given.promise])) given.resolve(true);
      else continue;
      return;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await this.client.stop();
  }

  async flush(): Promise<void> {}

  have(): Position | undefined {
    return this.#position;
  }

  *digests(): Iterable<readonly [ModelTable, string, string]> {
    for (const table of MODEL_TABLES) {
      for (const [key, part] of this.#tables[table]) yield [table, key, partDigest(table, key, part)];
    }
  }

  noted(): void {
    this.#sink?.noted();
  }

  match(question: PatternQuestion): Promise<object> {
    return this.#options.match(question);
  }

  commit({ lines, number, position }: Commit): void {
    if (this.#stopped) return;
    const arrived = performance.now();
    const strange = this.#strange.size;
    const delta = this.#take(lines);
    this.#position = position;
    if (!this.#synced) {
      this.#synced = true;
      this.#generation = this.#sink?.synced() ?? 0;
    } else if (!isEmptyDelta(delta)) {
      this.#generation = this.#sink?.changed(delta, arrived) ?? 0;
    }
    if (strange !== this.#strange.size) this.noted();
    this.#options.onCommit(number, this.#generation);
  }

  #take(lines: readonly PartLine[]): ModelDelta {
    const delta = emptyDelta() as Record<ModelTable, Set<string>>;
    for (const line of lines) {
      if ('delete' in line) {
        this.#strange.delete(`${line.delete} ${line.key}`);
        if (this.#tables[line.delete]?.delete(line.key)) delta[line.delete].add(line.key);
      } else if (this.#understands(line)) {
        const table = this.#tables[line.put];
        if (equalParts(table.get(line.key), line.part)) continue;
        table.set(line.key, line.part as object);
        delta[line.put].add(line.key);
      }
    }
    return delta;
  }

  #understands({ put, key, part }: Extract<PartLine, { readonly put: ModelTable }>): boolean {
    const id = `${put} ${key}`;
    const [problem] = this.#tables[put] === undefined ? [{ path: put, what: 'is no table' }] : checkShape(put, part);
    if (problem === undefined) this.#strange.delete(id);
    else this.#strange.set(id, `${problem.path} ${problem.what}`);
    return problem === undefined;
  }
}
