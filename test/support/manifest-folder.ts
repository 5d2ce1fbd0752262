import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Manifest } from './manifests.ts';
import { type Scope, temporaryDirectory } from './scope.ts';

/** A folder of manifests that a test writes; files appear whole, by renaming. */
export class ManifestFolder {
  readonly path: string;
  readonly #staging: string;
  #count = 0;

  constructor(scope: Scope, initial: Readonly<Record<string, readonly Manifest[] | string>> = {}) {
    const directory = temporaryDirectory(scope, 'manifests');
    this.path = join(directory, 'manifests');
    this.#staging = join(directory, 'staging');
    mkdirSync(this.path);
    mkdirSync(this.#staging);
    for (const [file, content] of Object.entries(initial)) this.write(file, content);
  }

  /** Text as it is, or objects as a List in JSON (which is YAML too). */
  write(file: string, content: readonly Manifest[] | string): void {
    this.#count += 1;
    const staged = join(this.#staging, String(this.#count));
    writeFileSync(staged, manifestText(content));
    const target = join(this.path, file);
    mkdirSync(dirname(target), { recursive: true });
    renameSync(staged, target);
  }

  /** In place, as `>` in a shell does: readers may see a part. */
  overwrite(file: string, content: readonly Manifest[] | string): void {
    writeFileSync(join(this.path, file), manifestText(content));
  }

  remove(file: string): void {
    rmSync(join(this.path, file), { recursive: true });
  }
}

export function manifestText(content: readonly Manifest[] | string): string {
  if (typeof content === 'string') return content;
  return `${JSON.stringify({ apiVersion: 'v1', kind: 'List', items: content }, null, 1)}\n`;
}
