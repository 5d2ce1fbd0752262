import type { KubeObject } from '../../../src/kube/kube-object.ts';
import type { BodyWriter } from './body-writer.ts';
import type { Fault } from './fault.ts';
import { statusObject } from './status-object.ts';
import { storedKey, type WatchEvent } from './stored-object.ts';

/** Writes a watch's events, each a line, as a fault has it. */
export class WatchStream {
  readonly #writer: BodyWriter;
  readonly #fault: Fault | undefined;
  #sent: WatchEvent[] = [];
  #count = 0;
  #ended = false;
  /** Waits for a neighbour to swap places with. */
  #held: WatchEvent | undefined;

  constructor(writer: BodyWriter, fault: Fault | undefined) {
    this.#writer = writer;
    this.#fault = fault;
    this.#checkEnd();
  }

  send(event: WatchEvent): void {
    const fault = this.#fault;
    if (this.#ended || this.#writer.over || this.#finished()) return;
    if (fault?.kind === 'reordering') return this.#reorder(event);
    let lines = lineOf(event);
    if (fault?.kind === 'repeating' && event.type !== 'BOOKMARK') {
      const old = this.#sent.at(-fault.back);
      if (old !== undefined) lines += lineOf(old);
      this.#sent.push(event);
      this.#sent = this.#sent.slice(-100);
    }
    this.#writer.write(lines);
    this.#count += 1;
    this.#checkEnd();
  }

  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#held !== undefined) this.#writer.write(lineOf(this.#held));
    this.#held = undefined;
    this.#writer.end();
  }

  #finished(): boolean {
    const fault = this.#fault;
    return fault?.kind === 'stalled' && this.#count >= fault.after;
  }

  #checkEnd(): void {
    const fault = this.#fault;
    if (fault?.kind === 'garbage' && this.#count === (fault.after ?? 0)) {
      this.#writer.write('{"type":"MODIFIED","object":{]]\n');
      this.end();
    }
    if (fault?.kind === 'ended' && this.#count === fault.after) this.end();
    if (fault?.kind === 'error-event' && this.#count === fault.after) {
      this.#writer.write(lineOf({ type: 'ERROR', object: statusObject(fault.status) }));
      this.end();
    }
  }

  /** Both in one write, so that no connection breaks between: a version is never passed before all up to it is there. */
  #reorder(event: WatchEvent): void {
    const held = this.#held;
    if (event.type !== 'BOOKMARK' && held === undefined) {
      this.#held = event;
      // Alone for a while: it goes as it is.
      setTimeout(() => {
        if (this.#held !== event || this.#ended || this.#writer.over) return;
        this.#held = undefined;
        this.#writer.write(lineOf(event));
      }, 5).unref();
      return;
    }
    this.#held = undefined;
    const swap = held !== undefined && event.type !== 'BOOKMARK' && keyOf(held) !== keyOf(event);
    this.#writer.write(
      (swap ? [event, held] : [held, event]).map((each) => (each === undefined ? '' : lineOf(each))).join(''),
    );
  }
}

function lineOf(event: WatchEvent): string {
  return `${JSON.stringify(event)}\n`;
}

function keyOf(event: WatchEvent): string {
  return storedKey(event.object as KubeObject);
}
