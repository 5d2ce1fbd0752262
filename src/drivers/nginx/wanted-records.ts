import type { Model, ModelDelta } from '../../model/model.ts';
import type { ControlClient } from './control/control-client.ts';
import type { Pusher } from './push/pusher.ts';
import type { Evaluation } from './records/evaluation.ts';
import type { RecordBook } from './records/record-book.ts';

const NOTHING: ReadonlySet<string> = new Set();
export const NO_DELTA: ModelDelta = {
  listeners: NOTHING,
  hosts: NOTHING,
  backends: NOTHING,
  certificates: NOTHING,
  l4Routes: NOTHING,
};

/** The records of the model that was taken last, and which of them aren't known to be in force. */
export class WantedRecords {
  readonly book: RecordBook;
  #pending = new Set<string>();

  constructor(book: RecordBook) {
    this.book = book;
  }

  /**
   * Renders what is dirty, and has new patterns compiled by the engine that will run them. `planned` spares the rendering:
   * what this model and delta were evaluated to before, unless the book has changed since.
   */
  async take(model: Model, delta: ModelDelta | undefined, control: ControlClient, planned?: Evaluation): Promise<void> {
    const known = planned !== undefined && this.book.isCurrent(planned);
    let evaluation = known ? planned : this.book.evaluate(model, delta);
    const unknown = evaluation.patterns.filter((pattern) => !this.book.isKnownPattern(pattern));
    const answers = await control.regex(unknown.map(({ pattern, ignoreCase }) => ({ pattern, ignoreCase })));
    for (const [place, pattern] of unknown.entries()) this.book.judgePattern(pattern, answers[place]?.error);
    if (unknown.length > 0) evaluation = this.book.evaluate(model, delta);
    this.#commit(evaluation);
  }

  quarantine(profiles: ReadonlyMap<string, string>): void {
    this.book.quarantine(profiles);
    this.#commit(this.book.evaluate(this.book.model, NO_DELTA));
  }

  /** `only` narrows it to some keys; the others stay pending. */
  async push(pusher: Pusher, conf: string, only?: (key: string) => boolean): Promise<void> {
    // Of an nginx whose records aren't known everything is compared; else only what changed.
    const keys = pusher.live === undefined ? undefined : [...this.#pending];
    await pusher.push(conf, this.book.checksums, (key) => this.book.text(key), keys, only);
    if (only === undefined) this.#pending = new Set();
  }

  #commit(evaluation: Evaluation): void {
    this.book.commit(evaluation);
    for (const key of evaluation.changes.keys()) this.#pending.add(key);
  }
}
