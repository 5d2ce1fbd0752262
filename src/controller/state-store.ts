import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MODEL_TABLES, type Model, type ModelDelta, type ModelTable } from '../model/model.ts';
import { backOff } from './back-off.ts';
import { encodeStateLine, putLine, STATE_VERSION } from './state-line.ts';
import { readState, type StateReading } from './state-reading.ts';

/** Milliseconds that changes wait for company before they are written. */
const GATHER = 50;
/** Parts that are turned into text before other work gets its turn. */
const SLICE = 250;
const SMALLEST_COMPACTION = 1_048_576;
const APPEND = constants.O_WRONLY | constants.O_APPEND;
const ANEW = APPEND | constants.O_CREAT | constants.O_TRUNC;

interface Entry {
  readonly table: ModelTable;
  readonly key: string;
  /** Undefined: there is none any more. */
  readonly part: unknown;
}

export interface StateStoreOptions {
  readonly directory: string;
  /** How bytes reach the file: a parameter so that tests can fill the disk. */
  readonly append?: (file: FileHandle, text: string) => Promise<void>;
  /** Told when writing fails (disk full), once a failure, and with undefined when it works again. */
  readonly onProblem?: (problem: Error | undefined) => void;
}

/**
 * The last good model on disk: a snapshot, then a journal of parts, in one file that only its owner may read (private
 * keys are in it). A change costs in proportion to itself; now and then the file is written anew beside the old one.
 */
export class StateStore {
  readonly #options: StateStoreOptions;
  readonly #path: string;
  /** What the file says, once `#pending` is written. */
  readonly #saved = new Map<string, Entry>();
  #pending = new Map<string, Entry>();
  #inFlight: ReadonlyMap<string, Entry> = new Map();
  #file: FileHandle | undefined;
  #goodBytes = 0;
  #snapshotBytes = 0;
  #commit = 0;
  #unsaved = false;
  #failures = 0;
  #problem: Error | undefined;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(options: StateStoreOptions) {
    this.#options = options;
    this.#path = join(options.directory, 'model.jsonl');
  }

  /** Opens the state in a directory, which is made if it isn't there. An unusable file is told, never an error. */
  static async open(
    options: StateStoreOptions,
  ): Promise<{ readonly store: StateStore; readonly reading: StateReading }> {
    const store = new StateStore(options);
    await mkdir(options.directory, { recursive: true, mode: 0o711 });
    const reading = readState(await readIfThere(store.#path));
    if (reading.model !== undefined) {
      for (const table of MODEL_TABLES) {
        for (const [key, part] of reading.model[table]) store.#saved.set(`${table} ${key}`, { table, key, part });
      }
    }
    store.#goodBytes = reading.problem === undefined ? reading.goodBytes : 0;
    store.#snapshotBytes = store.#goodBytes;
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
    this.#schedule(GATHER);
  }

  /** Writes what is pending. Resolves when it is on disk or when writing failed (see `problem`). */
  flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing = this.#writing.then(() => this.#write());
    return this.#writing;
  }

  async close(): Promise<void> {
    await this.flush();
    clearTimeout(this.#timer);
    await this.#file?.close();
    this.#file = undefined;
  }

  /** What the file already says (all of it, after a restart) isn't written again. */
  #note(table: ModelTable, key: string, part: unknown): void {
    const id = `${table} ${key}`;
    const known = this.#pending.get(id) ?? this.#inFlight.get(id) ?? this.#saved.get(id);
    if (known?.part !== part) this.#pending.set(id, { table, key, part });
  }

  #schedule(delay: number): void {
    this.#timer ??= setTimeout(() => void this.flush(), delay);
  }

  async #write(): Promise<void> {
    if (!this.#unsaved) return;
    const batch = this.#pending;
    this.#pending = new Map();
    this.#inFlight = batch;
    this.#unsaved = false;
    try {
      const journalBytes = this.#goodBytes - this.#snapshotBytes;
      const fresh = this.#goodBytes === 0 || journalBytes > Math.max(SMALLEST_COMPACTION, this.#snapshotBytes);
      if (!fresh) await this.#appendBatch(batch);
      for (const [id, entry] of batch) {
        if (entry.part === undefined) this.#saved.delete(id);
        else this.#saved.set(id, entry);
      }
      if (fresh) await this.#compact();
      this.#commit++;
      this.#failures = 0;
      if (this.#problem !== undefined) this.#options.onProblem?.(undefined);
      this.#problem = undefined;
    } catch (error) {
      for (const [id, entry] of batch) if (!this.#pending.has(id)) this.#pending.set(id, entry);
      this.#unsaved = true;
      const first = this.#problem === undefined;
      this.#problem = error instanceof Error ? error : new Error(String(error));
      if (first) this.#options.onProblem?.(this.#problem);
      this.#schedule(backOff(++this.#failures, Math.random, 1000));
    } finally {
      this.#inFlight = new Map();
    }
  }

  async #appendBatch(batch: ReadonlyMap<string, Entry>): Promise<void> {
    this.#file ??= await open(this.#path, APPEND);
    // An earlier try may have left half a line behind.
    await this.#file.truncate(this.#goodBytes);
    this.#goodBytes += await this.#writeLines(this.#file, this.#goodBytes, batch.values());
  }

  /** Writes all of it to a new file, which then takes the old one's place. */
  async #compact(): Promise<void> {
    const beside = `${this.#path}.new`;
    const file = await open(beside, ANEW, 0o600);
    let bytes: number;
    try {
      bytes = await this.#writeLines(file, 0, this.#saved.values());
      await rename(beside, this.#path);
    } catch (error) {
      await file.close();
      throw error;
    }
    const directory = await open(dirname(this.#path), 'r');
    await directory.sync().finally(() => directory.close());
    await this.#file?.close();
    this.#file = file;
    this.#goodBytes = bytes;
    this.#snapshotBytes = bytes;
  }

  async #writeLines(file: FileHandle, position: number, entries: Iterable<Entry>) {
    const append = this.#options.append ?? ((to, text) => to.writeFile(text));
    let bytes = 0;
    let lines = position === 0 ? [encodeStateLine({ weir: 'model', version: STATE_VERSION })] : [];
    const write = async () => {
      const text = lines.join('');
      lines = [];
      bytes += Buffer.byteLength(text);
      await append(file, text);
    };
    for (const { table, key, part } of entries) {
      lines.push(encodeStateLine(part === undefined ? { delete: table, key } : putLine(table, key, part)));
      if (lines.length >= SLICE) await write();
    }
    lines.push(encodeStateLine({ commit: this.#commit + 1 }));
    await write();
    await file.datasync();
    return bytes;
  }
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return Buffer.alloc(0);
    throw error;
  }
}
