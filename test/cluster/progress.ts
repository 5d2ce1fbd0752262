/** Tells on stderr what is done, each line with the seconds since the start. */
export class Progress {
  readonly #started = performance.now();

  say(text: string): void {
    console.error(`cluster: ${this.#seconds(this.#started).padStart(6)} s  ${text}`);
  }

  /** Tells that a step begins and how long it took. `detail` is asked every half minute while it goes on. */
  async step<T>(what: string, work: () => Promise<T>, detail: () => string = () => 'still at it'): Promise<T> {
    const started = performance.now();
    this.say(`${what} …`);
    const reminder = setInterval(() => this.say(`${what}: ${detail()}`), 30_000);
    try {
      const result = await work();
      this.say(`${what}: done in ${this.#seconds(started)} s`);
      return result;
    } finally {
      clearInterval(reminder);
    }
  }

  #seconds(since: number): string {
    return ((performance.now() - since) / 1000).toFixed(1);
  }
}
