import type { ApplyOutcome } from './driver-machine.ts';
import type { ReloadReasonView } from './status.ts';

/** Most reloads that status tells. */
const MOST = 10;

/** How often load balancers were reloaded, and why, the newest first. */
export class ReloadLog {
  #count = 0;
  #reasons: readonly ReloadReasonView[] = [];

  get count(): number {
    return this.#count;
  }

  get reasons(): readonly ReloadReasonView[] {
    return this.#reasons;
  }

  note(reload: Omit<ReloadReasonView, 'objects'>): void {
    this.#count++;
    this.#reasons = [{ ...reload, objects: [] }, ...this.#reasons].slice(0, MOST);
  }

  /** A driver tells of a reload when it happens; which objects made it necessary stands in the plan. */
  nameObjects(driver: string, { plan }: ApplyOutcome): void {
    const objects = plan.reload?.origins.map((origin) => origin.object) ?? [];
    const newest = this.#reasons.findIndex((reason) => reason.driver === driver);
    this.#reasons = this.#reasons.map((reason, index) => (index === newest ? { ...reason, objects } : reason));
  }
}
