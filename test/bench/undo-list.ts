import type { Scope } from '../support/scope.ts';

/** Stands in for a test context outside of tests: remembers what to undo, and undoes it in that order. */
export class UndoList implements Scope {
  readonly #steps: (() => void | Promise<void>)[] = [];

  after(undo: () => void | Promise<void>): void {
    this.#steps.push(undo);
  }

  async undo(): Promise<void> {
    for (const step of this.#steps.splice(0)) await step();
  }
}
