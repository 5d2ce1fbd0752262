import type { ServerResponse } from 'node:http';
import type { Fault } from './fault.ts';

/** Writes a body as a fault has it: cut, truncated, slowly. */
export class BodyWriter {
  readonly #response: ServerResponse;
  readonly #fault: Fault | undefined;
  /** Until the connection is cut or the body truncated. */
  #left: number;
  #queue: Promise<void> = Promise.resolve();

  constructor(response: ServerResponse, fault: Fault | undefined) {
    this.#response = response;
    this.#fault = fault;
    this.#left = fault?.kind === 'cut' || fault?.kind === 'truncated' ? fault.bytes : Number.POSITIVE_INFINITY;
  }

  get over(): boolean {
    return this.#response.writableEnded || this.#response.destroyed;
  }

  write(text: string): void {
    const bytes = Buffer.from(text);
    const part = bytes.subarray(0, Math.min(this.#left, bytes.length));
    this.#left -= part.length;
    this.#send(part);
    if (this.#left > 0) return;
    this.#queue = this.#breakOff(this.#queue);
  }

  end(): void {
    this.#queue = this.#finish(this.#queue);
  }

  #send(bytes: Buffer): void {
    const step = this.#fault?.kind === 'slow' ? this.#fault.bytes : Math.max(bytes.length, 1);
    for (let start = 0; start < bytes.length; start += step) {
      const part = bytes.subarray(start, start + step);
      if (this.#fault?.kind === 'slow') this.#queue = this.#trickle(this.#queue, part);
      else if (!this.over) this.#response.write(part);
    }
  }

  async #trickle(before: Promise<void>, part: Buffer): Promise<void> {
    await before;
    if (this.over) return;
    this.#response.write(part);
    await new Promise((resolve) => setImmediate(resolve));
  }

  async #breakOff(before: Promise<void>): Promise<void> {
    await before;
    if (this.#fault?.kind === 'truncated') {
      this.#response.end();
      return;
    }
    // What was written before must have left, or the reset takes it along.
    await new Promise((resolve) => this.#response.write('', resolve));
    this.#response.socket?.resetAndDestroy();
  }

  async #finish(before: Promise<void>): Promise<void> {
    await before;
    if (!this.over) this.#response.end();
  }
}
