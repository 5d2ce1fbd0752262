import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, readFile, rename, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setImmediate as pause } from 'node:timers/promises';
import { CodedError } from '../lib/coded-error.ts';
import { isNoRoom } from '../lib/no-room.ts';
import { encodeStateLine, STATE_VERSION, type StateLine } from './state-line.ts';
import { readState, type StateReading } from './state-reading.ts';

/** Parts that are turned into text before other work gets its turn. */
const SLICE = 250;
const SMALLEST_COMPACTION = 1_048_576;
/** Bytes of the file that the next snapshot is written into; in proportion to the last one, within these bounds. */
const SMALLEST_RESERVE = 65_536;
const LARGEST_RESERVE = 16_777_216;
/** A file system gives room by the block: what is nearly too large is. */
const SLACK = 8192;
const APPEND = constants.O_WRONLY | constants.O_APPEND;
const BESIDE = constants.O_WRONLY | constants.O_CREAT;

export type Append = (file: FileHandle, text: string) => Promise<void>;

/** Called anew for each pass over them. */
export type Lines = () => Iterable<StateLine>;

/**
 * `model.jsonl` and the file beside it that becomes the next one. The latter is there all the time and keeps some room:
 * a snapshot that fits into it is written even when the disk is full (where a file can be written over in place).
 * A write that fails leaves what was there before, to the byte.
 */
export class StateFile {
  readonly #path: string;
  readonly #append: Append;
  #file: FileHandle | undefined;
  #goodBytes = 0;
  #snapshotBytes = 0;
  #commit = 0;
  /** The file is damaged, or its journal was given up for want of room: a new snapshot says all of it again. */
  #behind = false;
  /** The last try found no room, so that the next one looks before it writes. */
  #short = false;
  #reserved = false;

  private constructor(path: string, append: Append) {
    this.#path = path;
    this.#append = append;
  }

  /** Rejects with code `state-unusable` where the file can't be read; one that is damaged is told in the reading. */
  static async open(
    directory: string,
    append: Append = (file, text) => file.writeFile(text),
  ): Promise<{ readonly file: StateFile; readonly reading: StateReading }> {
    await mkdir(directory, { recursive: true, mode: 0o711 });
    const path = join(directory, 'model.jsonl');
    const file = new StateFile(path, append);
    const reading = readState(await readIfThere(path));
    if (reading.model !== undefined) {
      file.#goodBytes = reading.goodBytes;
      file.#snapshotBytes = reading.snapshotBytes;
    }
    // A new snapshot is clean again.
    file.#behind = reading.problem !== undefined;
    return { file, reading };
  }

  get mustBeRewritten(): boolean {
    return this.#behind || this.#goodBytes === 0;
  }

  /** Whether the journal has outgrown the snapshot. */
  get shouldBeRewritten(): boolean {
    return this.#goodBytes - this.#snapshotBytes > Math.max(SMALLEST_COMPACTION, this.#snapshotBytes);
  }

  async append(lines: Lines): Promise<void> {
    this.#file ??= await open(this.#path, APPEND);
    try {
      if (this.#short) await this.#requireRoom(await this.#measure(lines, false), 0);
      await this.#file.truncate(this.#goodBytes);
      this.#goodBytes += await this.#write(this.#file, lines, false);
    } catch (error) {
      // Half a batch is worth nothing and takes the room of others.
      await this.#file.truncate(this.#goodBytes).catch(() => undefined);
      this.#short = isNoRoom(error);
      throw error;
    }
    this.#short = false;
    if (!this.#reserved) await this.#reserve();
  }

  /**
   * Has the file consist of these lines alone. Where they don't fit beside the old file, its torn end is given up, and
   * where they would fit in place of its journal, that too: what is on disk is then the older snapshot, for a moment, and
   * never nothing.
   */
  async rewrite(lines: Lines): Promise<void> {
    try {
      await this.#writeBeside(lines);
    } catch (error) {
      if (!isNoRoom(error)) throw error;
      this.#short = true;
      if (!(await this.#giveUpTornEnd()) && !(await this.#giveUpJournal(lines))) throw error;
      await this.rewrite(lines);
      return;
    }
    this.#short = false;
    await this.#reserve();
  }

  async close(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
  }

  async #writeBeside(lines: Lines): Promise<void> {
    const beside = `${this.#path}.new`;
    const file = await open(beside, BESIDE, 0o600);
    let bytes: number;
    try {
      const { size } = await file.stat();
      try {
        if (this.#short) await this.#requireRoom(await this.#measure(lines, true), size);
        await file.chmod(0o600);
        bytes = await this.#write(file, lines, true);
        await rename(beside, this.#path);
      } catch (error) {
        await file.truncate(size).catch(() => undefined);
        throw error;
      }
    } finally {
      await file.close();
    }
    await this.close();
    this.#goodBytes = bytes;
    this.#snapshotBytes = bytes;
    this.#behind = false;
    this.#reserved = false;
    const directory = await open(dirname(this.#path), 'r');
    await directory.sync().finally(() => directory.close());
  }

  async #giveUpTornEnd(): Promise<boolean> {
    if ((await sizeOf(this.#path)) <= this.#goodBytes) return false;
    this.#file ??= await open(this.#path, APPEND);
    await this.#file.truncate(this.#goodBytes);
    this.#behind = false;
    return true;
  }

  /** False: that wouldn't be enough. Only room that nobody else can take is counted on. */
  async #giveUpJournal(lines: Lines): Promise<boolean> {
    const journal = this.#goodBytes - this.#snapshotBytes;
    if (journal === 0 || this.#snapshotBytes === 0) return false;
    const needed = (await this.#measure(lines, true)) + SLACK;
    const size = await sizeOf(`${this.#path}.new`);
    if (needed > journal + size) return false;
    this.#file ??= await open(this.#path, APPEND);
    this.#behind = true;
    this.#goodBytes = this.#snapshotBytes;
    await this.#file.truncate(this.#goodBytes);
    return true;
  }

  /** A full disk isn't filled to the brim at each try: nginx and its logs need room, too. */
  async #requireRoom(needed: number, own: number): Promise<void> {
    const { bsize, bavail, bfree } = await statfs(dirname(this.#path));
    const free = bsize * (process.getuid?.() === 0 ? bfree : bavail);
    if (needed <= free + own) return;
    const message = `ENOSPC: ${needed} bytes are needed in ${dirname(this.#path)}, ${free + own} are free`;
    throw Object.assign(new Error(message), { code: 'ENOSPC' });
  }

  /** Fills the file beside, where room is plentiful; one that can't be is no harm. */
  async #reserve(): Promise<void> {
    const wanted = Math.min(LARGEST_RESERVE, Math.max(SMALLEST_RESERVE, Math.ceil(this.#snapshotBytes / 4)));
    try {
      await this.#requireRoom(4 * wanted, 0);
      const file = await open(`${this.#path}.new`, BESIDE | constants.O_APPEND, 0o600);
      try {
        let { size } = await file.stat();
        for (; size < wanted; size += SMALLEST_RESERVE) await file.writeFile(Buffer.alloc(SMALLEST_RESERVE));
        this.#reserved = true;
      } finally {
        await file.close();
      }
    } catch {
      // There is another try after the next write.
    }
  }

  async #write(file: FileHandle, lines: Lines, whole: boolean): Promise<number> {
    let bytes = 0;
    for (const text of this.#texts(lines, whole)) {
      bytes += Buffer.byteLength(text);
      await this.#append(file, text);
    }
    if (whole) await file.truncate(bytes);
    await file.datasync();
    this.#commit++;
    return bytes;
  }

  async #measure(lines: Lines, whole: boolean): Promise<number> {
    let bytes = 0;
    for (const text of this.#texts(lines, whole)) {
      bytes += Buffer.byteLength(text);
      await pause();
    }
    return bytes;
  }

  *#texts(lines: Lines, whole: boolean): Iterable<string> {
    let slice = whole ? [encodeStateLine({ weir: 'model', version: STATE_VERSION })] : [];
    for (const line of lines()) {
      slice.push(encodeStateLine(line));
      if (slice.length < SLICE) continue;
      yield slice.join('');
      slice = [];
    }
    slice.push(encodeStateLine({ commit: this.#commit + 1 }));
    yield slice.join('');
  }
}

/** 0 where there is none. */
async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

async function readIfThere(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return Buffer.alloc(0);
    const why = code === 'EISDIR' ? 'it is a directory, and should be a file of weir’s own' : `${code}`;
    throw new CodedError('state-unusable', `the saved state ${path} can't be read: ${why}.`, {
      remedy: 'Move it away (weir then starts from the manifests alone), or give another directory with --state-dir.',
      cause: error,
    });
  }
}
