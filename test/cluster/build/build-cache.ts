import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { identify } from '../machine/process-identity.ts';

/** Says that a folder holds all that it should: it is written last. */
const COMPLETE = '.complete';

/**
 * Folders of built things outside of every clone, so that a fresh one need not build again. A folder's name holds a
 * checksum of all that went into it; it appears whole or not at all, so what is there can be trusted.
 */
export class BuildCache {
  readonly directory: string;

  constructor(directory = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'weir', 'cluster')) {
    this.directory = directory;
  }

  /** The folder for this name and these inputs; `make` fills it if it isn't there. */
  async folder(name: string, inputs: readonly string[], make: (scratch: string) => Promise<void>): Promise<string> {
    const folder = join(this.directory, `${name}-${checksum(inputs)}`);
    if (existsSync(join(folder, COMPLETE))) return folder;
    mkdirSync(this.directory, { recursive: true });
    this.#removeAbandoned();
    const scratch = mkdtempSync(join(this.directory, `.${process.pid}-${name}-`));
    try {
      await make(scratch);
      writeFileSync(join(scratch, COMPLETE), '');
      // Somebody else may have made the same meanwhile: either is as good.
      if (!existsSync(join(folder, COMPLETE))) {
        rmSync(folder, { recursive: true, force: true });
        renameSync(scratch, folder);
      }
    } finally {
      rmSync(scratch, { recursive: true, force: true });
    }
    return folder;
  }

  /** What a process that was killed had begun. */
  #removeAbandoned(): void {
    for (const entry of readdirSync(this.directory)) {
      const owner = /^\.(\d+)-/.exec(entry)?.[1];
      if (owner === undefined || identify(Number(owner)) !== undefined) continue;
      rmSync(join(this.directory, entry), { recursive: true, force: true });
    }
  }
}

/** The contents of every file under a folder, with their names, in order: inputs for `BuildCache.folder`. */
export function contentsOf(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
    .flatMap((file) => [file.slice(folder.length), readFileSync(file, 'utf8')]);
}

function checksum(inputs: readonly string[]): string {
  const hash = createHash('sha256');
  for (const input of inputs) hash.update(`${Buffer.byteLength(input)}:`).update(input);
  return hash.digest('hex').slice(0, 16);
}
