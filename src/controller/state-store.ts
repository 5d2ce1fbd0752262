import { MODEL_TABLES, type Model, type ModelDelta, type ModelTable } from '../model/model.ts';
import { isNoRoom } from '../lib/no-room.ts';
import { equalParts } from '../model/equality.ts';
import { backOff } from '../lib/back-off.ts';
import { type Append, StateFile } from './state-file.ts';
import { putLine } from '../model/part-line.ts';
import type { StateLine } from './state-line.ts';
import type { StateReading } from './state-reading.ts';

/** Milliseconds that changes wait for company before they are written. */
const GATHER = 50;
/** The same after a failure: the change may be the cure. */
const GATHER_FAILING = 1000;
/** Milliseconds between tries while writing fails, at most. */
const LONGEST_WAIT = 10_000;

interface Entry {
  readonly table: ModelTable;
  readonly key: string;
  /** Undefined: there is none any more. */
  readonly part: unknown;
}

export interface StateStoreOptions {
  readonly directory: string;
  /** How bytes reach the file: a parameter so that tests can fill the disk. */
  readonly append?: Append;
  /** Told at each try that fails (disk full), and with undefined when it works again. */
  readonly onProblem?: (problem: Error | undefined) => void;
}

/**
 * The last good model on disk: a snapshot, then a journal of parts, in one file that only its owner may read (private
 * keys are in it). A change costs in proportion to itself; now and then the file is written anew beside the old one.
 * What can't be written is kept and tried again, for as long as it takes.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  readonly #file: StateFile;
  /** What the file says, once `#pending` is written. */
  readonly #saved: { readonly [Table in ModelTable]: Map<string, unknown> } = {
    certificates: new Map(),
    backends: new Map(),
    listeners: new Map(),
    hosts: new Map(),
    l4Routes: new Map(),
  };
  #pending = new Map<string, Entry>();
  #inFlight: ReadonlyMap<string, Entry> = new Map();
  #unsaved = false;
  #failures = 0;
  #problem: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** When it goes off, by performance.now(). */
  #due = Infinity;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: StateStoreOptions, file: StateFile) {
    this.#options = options;
    this.#file = file;
  }

  /**
   * Opens the state in a directory, which is made if it isn't there. A damaged file is told, never an error;
   * rejects with code `state-unusable` where there is something else in its place.
   */
  static async open(
    options: StateStoreOptions,
  ): Promise<{ readonly store: StateStore; readonly reading: StateReading }> {
    const { file, reading } = await StateFile.open(options.directory, options.append);
    const store = new StateStore(options, file);
    if (reading.model !== undefined) {
      for (const table of MODEL_TABLES) {
        for (const [key, part] of reading.model[table]) store.#saved[table].set(key, part);
      }
    }
    return { store, reading };
  }

  /** Why changes aren't being saved just now. */
  get problem(): Error | undefined {
    return this.#problem;
  }

  /** Number of parts that are in force but not yet saved. */
  get pending(): number {
    return new Set([...this.#pending.keys(), ...this.#inFlight.keys()]).size;
  }

  /** The parts of `model` with these keys are in force now. Returns at once; they are written within about 100 ms. */
  record(model: Model, delta: ModelDelta): void {
    for (const table of MODEL_TABLES) {
      for (const key of delta[table]) this.#note(table, key, model[table].get(key));
    }
    this.#unsaved = true;
    this.#schedule(this.#problem === undefined ? GATHER : GATHER_FAILING);
  }

  /** Where `model` has parts that say what is saved, it is these that are kept in memory. */
  share(model: Model): void {
    for (const table of MODEL_TABLES) {
      const saved = this.#saved[table];
      for (const [key, part] of model[table]) if (equalParts(saved.get(key), part)) saved.set(key, part);
    }
  }

  /** Writes what is pending. Resolves when it is on disk or when writing failed (see `problem`). */
  flush(): Promise<void> {
    this.#unschedule();
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    this.#unschedule();
    await this.#file.close();
  }

  /** What the file already says (all of it, after a restart) isn't written again. */
  #note(table: ModelTable, key: string, part: unknown): void {
    const id = `${table} ${key}`;
    const waiting = this.#pending.get(id) ?? this.#inFlight.get(id);
    const known = waiting === undefined ? this.#saved[table].get(key) : waiting.part;
    if (known !== part) this.#pending.set(id, { table, key, part });
  }

  #schedule(delay: number): void {
    const due = performance.now() + delay;
    if (due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => void this.flush(), delay);
  }

  #unschedule(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#due = Infinity;
  }

  async #write(): Promise<void> {
    if (!this.#unsaved) return;
    const batch = this.#pending;
    this.#pending = new Map();
    this.#inFlight = batch;
    this.#unsaved = false;
    try {
      const postponed = await this.#save(batch);
      for (const { table, key, part } of batch.values()) {
        if (part === undefined) this.#saved[table].delete(key);
        else this.#saved[table].set(key, part);
      }
      if (postponed !== undefined) throw postponed;
      this.#failures = 0;
      if (this.#problem !== undefined) this.#options.onProblem?.(undefined);
      this.#problem = undefined;
    } catch (error) {
      for (const [id, entry] of batch) {
        const isSaved = this.#saved[entry.table].get(entry.key) === entry.part;
        if (!isSaved && !this.#pending.has(id)) this.#pending.set(id, entry);
      }
      this.#unsaved = true;
      this.#problem = error instanceof Error ? error : new Error(String(error));
      this.#options.onProblem?.(this.#problem);
      this.#schedule(backOff(++this.#failures, Math.random, 1000, LONGEST_WAIT));
    } finally {
      this.#inFlight = new Map();
    }
  }

  /** Resolves when the batch is on disk; with an error where only the file's rewriting has to wait for room. */
  async #save(batch: ReadonlyMap<string, Entry>): Promise<Error | undefined> {
    const file = this.#file;
    const whole = () => file.rewrite(() => linesOf(merged(this.#saved, batch)));
    const append = async () => {
      if (batch.size > 0) await file.append(() => linesOf(batch.values()));
    };
    if (file.mustBeRewritten) await whole();
    else if (file.shouldBeRewritten) {
      try {
        await whole();
      } catch (error) {
        if (!isNoRoom(error)) throw error;
        // It may have given up its journal; else the old file goes on growing while it can.
        if (file.mustBeRewritten) throw error;
        await append();
        return new Error(`every change is in the file so far, but rewriting it fails: ${(error as Error).message}`);
      }
    } else {
      await append().catch(async (error: unknown) => {
        if (!isNoRoom(error)) throw error;
        // A model that has shrunk may take less room than the list of what has gone.
        await whole();
      });
    }
    return undefined;
  }
}

/** What the file says once the batch is in it. */
function* merged(
  saved: { readonly [Table in ModelTable]: ReadonlyMap<string, unknown> },
  batch: ReadonlyMap<string, Entry>,
): Iterable<Entry> {
  for (const table of MODEL_TABLES) {
    for (const [key, part] of saved[table]) if (!batch.has(`${table} ${key}`)) yield { table, key, part };
  }
  for (const entry of batch.values()) if (entry.part !== undefined) yield entry;
}

function* linesOf(entries: Iterable<Entry>): Iterable<StateLine> {
  for (const { table, key, part } of entries)
    yield part === undefined ? { delete: table, key } : putLine(table, key, part);
}
