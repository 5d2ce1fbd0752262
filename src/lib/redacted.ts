import { inspect } from 'node:util';

const REDACTED = '[redacted]';

/** A secret value. Every way of printing it gives "[redacted]"; only `reveal()` gives the value. */
export class Redacted {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  equals(other: Redacted): boolean {
    return this.#value === other.#value;
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}
