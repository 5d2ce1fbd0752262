import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import Type from 'typebox';
import { Value } from 'typebox/value';

const FileShape = Type.Record(Type.String(), Type.Array(Type.String()));
/** Milliseconds that answers wait for company before they are written. */
const GATHER = 1000;

/**
 * The last good addresses of DNS names, kept on disk: after a restart in which DNS is silent, what a name stood for goes on
 * being served. Losing the file costs no more than that, so a failure to write it is passed over.
 */
export class KnownNames {
  readonly #path: string;
  #names: ReadonlyMap<string, readonly string[]>;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, names: ReadonlyMap<string, readonly string[]>) {
    this.#path = path;
    this.#names = names;
  }

  static async open(directory: string): Promise<KnownNames> {
    const path = join(directory, 'names.json');
    const content: unknown = await readFile(path, 'utf8')
      .then(JSON.parse)
      .catch(() => ({}));
    return new KnownNames(path, new Map(Value.Check(FileShape, content) ? Object.entries(content) : []));
  }

  get(name: string): readonly string[] | undefined {
    return this.#names.get(name);
  }

  /** From now on these are known, and no others. */
  replace(names: ReadonlyMap<string, readonly string[]>): void {
    this.#names = names;
    this.#timer ??= setTimeout(() => void this.flush(), GATHER).unref();
  }

  flush(): Promise<void> {
    if (this.#timer === undefined) return this.#writing;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const text = JSON.stringify(Object.fromEntries(this.#names));
    this.#writing = this.#writing
      .then(() => writeFile(`${this.#path}.new`, text, { mode: 0o600 }))
      .then(() => rename(`${this.#path}.new`, this.#path))
      // On a full disk half a file would take the room of others.
      .catch(() => rm(`${this.#path}.new`, { force: true }).catch(() => undefined));
    return this.#writing;
  }
}
