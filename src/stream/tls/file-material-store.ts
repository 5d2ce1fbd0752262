import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CodedError } from '../../lib/coded-error.ts';
import type { Credentials } from './credentials.ts';
import { CREDENTIAL_FILES } from './file-credentials.ts';
import { decodeMaterial, encodeMaterial, type Material } from './material.ts';
import type { MaterialStore } from './material-store.ts';

/**
 * Keeps the material in a directory of the controllers: `authority.json`, which only they may read, and `proxy/` with what
 * a proxy is given as its --model-tls-dir (as it is, or as a copy that is kept up to date).
 */
export class FileMaterialStore implements MaterialStore {
  readonly place: string;
  readonly #path: string;

  constructor(directory: string) {
    this.place = directory;
    this.#path = join(directory, 'authority.json');
  }

  async read(): Promise<{ readonly material: Material | undefined; readonly version: string | undefined }> {
    const text = await readIfThere(this.#path);
    if (text === undefined) return { material: undefined, version: undefined };
    const material = decodeMaterial(text);
    if (material === undefined) {
      throw new CodedError('stream-tls', `${this.#path} is damaged.`, {
        remedy: 'Remove it; weir makes a new one, and every proxy needs the new files in proxy/.',
      });
    }
    return { material, version: text };
  }

  async write(material: Material, version: string | undefined): Promise<boolean> {
    await mkdir(this.place, { recursive: true, mode: 0o700 });
    await requireOwner(this.place);
    const beside = `${this.#path}.${randomUUID()}`;
    await writeFile(beside, encodeMaterial(material), { mode: 0o600, flag: 'wx' });
    try {
      if (version !== undefined) {
        if ((await readIfThere(this.#path)) !== version) return false;
        await rename(beside, this.#path);
        return true;
      }
      // Unlike a rename it fails where another controller was first.
      await link(beside, this.#path);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw error;
    } finally {
      await rm(beside, { force: true });
    }
  }

  async publish({ authorities, certificate, key }: Credentials): Promise<void> {
    const directory = join(this.place, 'proxy');
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const files = [
      [CREDENTIAL_FILES.authorities, authorities],
      [CREDENTIAL_FILES.key, key.reveal()],
      [CREDENTIAL_FILES.certificate, certificate],
    ] as const;
    for (const [name, text] of files) {
      const path = join(directory, name);
      if ((await readIfThere(path)) === text) continue;
      const beside = `${path}.${randomUUID()}`;
      await writeFile(beside, text, { mode: 0o600, flag: 'wx' });
      await rename(beside, path);
    }
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function requireOwner(directory: string): Promise<void> {
  const { uid, mode } = await stat(directory);
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return;
  throw new CodedError(
    'stream-tls',
    `others may write to ${directory}, where the keys of the model stream should be.`,
    {
      remedy: 'Give a directory of this user alone with --model-tls-dir (mode 0700).',
    },
  );
}
