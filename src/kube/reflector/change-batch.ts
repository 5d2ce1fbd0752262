import type { ReflectorChange } from '../reflector-sink.ts';

/** A stream of events that never pauses is told in parts of this size. */
const MOST = 1000;

/** Gathers changes that are there together: what one chunk from the network held is told in one call. */
export class ChangeBatch {
  readonly #tell: (changes: readonly ReflectorChange[]) => void;
  readonly #failed: (error: unknown) => void;
  #changes: ReflectorChange[] = [];
  #scheduled: NodeJS.Immediate | undefined;

  /** `failed`: what `tell` threw when nobody was there to catch it. */
  constructor(tell: (changes: readonly ReflectorChange[]) => void, failed: (error: unknown) => void) {
    this.#tell = tell;
    this.#failed = failed;
  }

  add(changes: readonly ReflectorChange[]): void {
    if (changes.length === 0) return;
    this.#changes.push(...changes);
    if (this.#changes.length >= MOST) {
      this.flush();
      return;
    }
    this.#scheduled ??= setImmediate(() => {
      try {
        this.flush();
      } catch (error) {
        this.#failed(error);
      }
    });
  }

  flush(): void {
    const changes = this.#changes;
    this.drop();
    if (changes.length > 0) this.#tell(changes);
  }

  drop(): void {
    if (this.#scheduled !== undefined) clearImmediate(this.#scheduled);
    this.#scheduled = undefined;
    this.#changes = [];
  }
}
