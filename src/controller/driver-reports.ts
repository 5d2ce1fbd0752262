import type { Finding } from '../diagnostics/finding.ts';
import type { DriverState } from '../drivers/driver.ts';
import type { ApplyOutcome } from './driver-machine.ts';

/** What the drivers told last: how they are, what they found in the model, and what of it they leave out. */
export class DriverReports {
  readonly #observed = new Map<string, DriverState>();
  readonly #planned = new Map<string, readonly Finding[]>();
  readonly #leftOut = new Map<string, readonly Finding[]>();

  get observed(): ReadonlyMap<string, DriverState> {
    return this.#observed;
  }

  /** What the drivers found in the model when they last applied it. */
  planned(): readonly Finding[] {
    return [...this.#planned.values()].flat();
  }

  /** What is left out just now: as the last apply said, or as it was seen since. */
  quarantined(): readonly Finding[] {
    return [...this.#leftOut.values()].flat();
  }

  /** Answers whether it was this driver's first. */
  applied(driver: string, { plan, applied }: ApplyOutcome): boolean {
    const first = !this.#planned.has(driver);
    this.#planned.set(driver, [...plan.findings, ...(applied.findings ?? [])]);
    this.#leftOut.set(driver, applied.quarantined);
    return first;
  }

  /** To be called before a load balancer is looked at: what it answers counts only if nothing was applied meanwhile. */
  look(driver: string): (state: DriverState) => void {
    const before = this.#planned.get(driver);
    return (state) => {
      this.#observed.set(driver, state);
      const { findings } = state.detail;
      if (Array.isArray(findings) && this.#planned.get(driver) === before) {
        this.#leftOut.set(driver, findings as readonly Finding[]);
      }
    };
  }

  forget(driver: string): void {
    for (const reports of [this.#observed, this.#planned, this.#leftOut]) reports.delete(driver);
  }
}
