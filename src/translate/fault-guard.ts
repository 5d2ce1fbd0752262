import type { Finding } from '../diagnostics/finding.ts';
import type { FindingBook } from './finding-book.ts';

/** One step of a translation, about one unit: an Ingress, a host, a backend. */
export interface GuardedStep<Result> {
  /** Names the unit among all: `host a.example`. */
  readonly subject: string;
  readonly work: () => Result;
  /** What stands in for the result after an exception that nobody expected. Must not throw. */
  readonly standIn: (error: unknown) => Result;
  /** What is to be said about it, at each object that has a part in it. */
  readonly findings: (error: unknown) => readonly Finding[];
  /** Marks the unit, so that the next update looks at it again. */
  readonly mark: () => void;
}

/** Sees to it that an exception costs only the unit that it is about, is told, and is tried again. */
export class FaultGuard {
  readonly #book: FindingBook;
  readonly #faulty = new Map<string, () => void>();

  constructor(book: FindingBook) {
    this.#book = book;
  }

  attempt<Result>({ subject, work, standIn, findings, mark }: GuardedStep<Result>): Result {
    try {
      const result = work();
      if (this.#faulty.delete(subject)) this.#book.set(`fault ${subject}`, []);
      return result;
    } catch (error) {
      this.#faulty.set(subject, mark);
      this.#book.set(`fault ${subject}`, findings(error));
      return standIn(error);
    }
  }

  isFaulty(subject: string): boolean {
    return this.#faulty.has(subject);
  }

  /** Marks all that failed. */
  retry(): void {
    for (const mark of this.#faulty.values()) mark();
  }
}
