import { mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { DebianRelease } from './debian-release.ts';

const FOLDER = resolve(import.meta.dirname, '../../node_modules/.cache/weir-nginx');
/** Another one when what is unpacked, or how, changes. */
const RECIPE = '1';
/** Milliseconds for which a failure to get it is believed. */
const BELIEVED = 60 * 60_000;

/** An nginx of another Debian release, unpacked, or why there is none. */
export type CachedNginx =
  | { readonly kind: 'here'; readonly executable: string }
  | { readonly kind: 'missing'; readonly why: string };

/** Where the unpacked tree of each release lies. It names itself by absolute paths, so that it can't be moved. */
export class OtherNginxCache {
  readonly release: DebianRelease;
  readonly #folder: string;

  constructor(release: DebianRelease, folder = FOLDER) {
    this.release = release;
    this.#folder = folder;
  }

  /** Undefined: nobody has tried, or not for a while. */
  read(): CachedNginx | undefined {
    const executable = join(this.#root, 'usr/sbin/nginx');
    if (text(join(this.#root, '.stamp')) === this.#stamp) return { kind: 'here', executable };
    const why = text(this.#failure);
    if (why === undefined || Date.now() - statSync(this.#failure).mtimeMs > BELIEVED) return undefined;
    return { kind: 'missing', why };
  }

  /** Fills it: `make` unpacks into a folder that then becomes `root`. What it rejects with is passed on. */
  async fill(make: (scratch: string, root: string) => Promise<void>): Promise<void> {
    mkdirSync(this.#folder, { recursive: true });
    const scratch = mkdtempSync(join(this.#folder, `${this.release}.`));
    try {
      await make(scratch, this.#root);
      writeFileSync(join(scratch, '.stamp'), this.#stamp);
      rmSync(this.#root, { recursive: true, force: true });
      renameSync(scratch, this.#root);
      rmSync(this.#failure, { force: true });
    } catch (error) {
      // Somebody else may have filled it at the same time.
      if (this.read()?.kind !== 'here') throw error;
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
  }

  noteFailure(why: string): void {
    mkdirSync(this.#folder, { recursive: true });
    writeFileSync(this.#failure, why);
  }

  get #root(): string {
    return join(this.#folder, this.release);
  }

  get #failure(): string {
    return join(this.#folder, `${this.release}.missing`);
  }

  get #stamp(): string {
    return `${RECIPE} ${this.#root}\n`;
  }
}

function text(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
