import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

/** What was added to a file since the last look; the end of a line that isn't whole yet is left for the next. */
export class LogReader {
  readonly #path: string;
  #offset = 0;

  constructor(path: string) {
    this.#path = path;
  }

  lines(): readonly string[] {
    if (!existsSync(this.#path)) return [];
    const file = openSync(this.#path, 'r');
    try {
      const bytes = Buffer.alloc(fstatSync(file).size - this.#offset);
      const length = readSync(file, bytes, 0, bytes.length, this.#offset);
      const whole = bytes.subarray(0, length).lastIndexOf(0x0a) + 1;
      this.#offset += whole;
      const text = bytes.toString('latin1', 0, whole);
      return text === '' ? [] : text.slice(0, -1).split('\n');
    } finally {
      closeSync(file);
    }
  }
}
