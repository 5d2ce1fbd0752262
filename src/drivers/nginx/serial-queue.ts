/** One thing at a time, in the order of asking; a failure is the asker's alone. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  get busy(): boolean {
    return this.#waiting > 0;
  }

  run<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#waiting += 1;
    const result = this.#last.then(task).finally(() => {
      this.#waiting -= 1;
    });
    this.#last = result.catch(() => undefined);
    return result;
  }
}
