import { readFile } from 'node:fs/promises';
import { Redacted } from '../../lib/redacted.ts';
import type { KubeMaterial } from '../kube-config.ts';
import { KubeError } from '../kube-error.ts';

/** A kubelet renews what it mounts well before it ends, so a minute is soon enough. */
const FRESH_MS = 60_000;

/** Reads what a configuration gives as bytes or as a file; a file again when a minute has passed. */
export class MaterialReader {
  readonly #material: KubeMaterial;
  /** The field, for messages: `token`. */
  readonly #what: string;
  readonly #now: () => number;
  #held: Redacted | undefined;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(material: KubeMaterial, what: string, now: () => number) {
    this.#material = material;
    this.#what = what;
    this.#now = now;
  }

  get renewable(): boolean {
    return 'file' in this.#material;
  }

  /** A file that was there and is gone for a moment (it is being replaced) still has its last content. */
  async read(): Promise<Redacted> {
    if ('data' in this.#material) return this.#material.data;
    if (this.#held !== undefined && this.#now() - this.#readAt < FRESH_MS) return this.#held;
    const { file } = this.#material;
    try {
      const text = await readFile(file, 'utf8');
      if (text.trim() === '') throw new Error('it is empty');
      this.#held = new Redacted(text);
      this.#readAt = this.#now();
    } catch (error) {
      if (this.#held === undefined) {
        throw new KubeError(`${this.#what} can not be read from ${file}: ${(error as Error).message}`, {
          remedy: 'Correct the path in the kubeconfig, or let weir read the file.',
          cause: error,
        });
      }
    }
    return this.#held;
  }

  /** The next read looks at the file, however fresh the last one is. */
  forget(): void {
    this.#readAt = Number.NEGATIVE_INFINITY;
  }
}
