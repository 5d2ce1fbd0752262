import { LOAD_KINDS, type LoadKind, type LoadReport } from '../load/load-message.ts';

/** What repetitions of one fault cost. */
export class FaultTally {
  readonly #seconds: number[] = [];
  readonly #failed: Record<LoadKind, number>[] = [];
  #requests = 0;

  /** One repetition. `seconds`: from the fault until a change that was made with it is in force. */
  add(before: LoadReport, after: LoadReport, seconds: number): void {
    this.#seconds.push(seconds);
    this.#requests += after.requests - before.requests;
    const failed = (kind: LoadKind) => after.failedByKind[kind] - before.failedByKind[kind];
    this.#failed.push(Object.fromEntries(LOAD_KINDS.map((kind) => [kind, failed(kind)])) as Record<LoadKind, number>);
  }

  /** The most requests that failed in one repetition: on new connections, on kept ones. */
  get worst(): { readonly opened: number; readonly kept: number; readonly seconds: number } {
    return {
      opened: Math.max(...this.#failed.map((failed) => failed['http new'] + failed['https new'])),
      kept: Math.max(...this.#failed.map((failed) => failed['http kept'] + failed['https kept'])),
      seconds: Math.max(...this.#seconds),
    };
  }

  toString(): string {
    const sorted = this.#seconds.toSorted((a, b) => a - b);
    const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0;
    const sum = (kinds: readonly LoadKind[]) =>
      this.#failed.reduce((total, failed) => total + kinds.reduce((all, kind) => all + failed[kind], 0), 0);
    return (
      `${this.#seconds.length} times: failed ${sum(['http new', 'https new'])} on new and ` +
      `${sum(['http kept', 'https kept'])} on kept connections of ${this.#requests} requests; ` +
      `changes in force after ${median.toFixed(2)} s (longest ${this.worst.seconds.toFixed(2)} s)`
    );
  }
}
