import type { ReloadReason } from '../driver.ts';

const KEPT = 10;

/** How often nginx was reloaded and why, since weir started. */
export class ReloadHistory {
  readonly #counts = new Map<string, number>();
  readonly #last: { readonly at: string; readonly reason: string; readonly detail: string }[] = [];

  add({ reason, detail }: ReloadReason): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    this.#last.unshift({ at: new Date().toISOString(), reason, detail });
    this.#last.length = Math.min(this.#last.length, KEPT);
  }

  /** By reason. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Newest first. */
  get last(): readonly { readonly at: string; readonly reason: string; readonly detail: string }[] {
    return [...this.#last];
  }
}
