import type { NameAnswer } from '../translate/translator.ts';
import { backOff } from '../lib/back-off.ts';
import type { KnownNames } from './known-names.ts';
import type { NameQuery, NameResult } from './name-query.ts';

const SHORTEST_TTL = 1;
const LONGEST_TTL = 60;
/** Answers "no such name" in a row before addresses that were good are given up. */
const GONE_AFTER = 3;

export interface NameResolverOptions {
  readonly query: NameQuery;
  readonly onAnswer: (name: string, answer: NameAnswer) => void;
  readonly random: () => number;
  /** Addresses that names had in an earlier run: used for a name that nobody can tell anything about yet. */
  readonly known?: Pick<KnownNames, 'get' | 'replace'>;
}

interface Watched {
  timer: NodeJS.Timeout | undefined;
  addresses: readonly string[] | undefined;
  /** What was told last, so that the same isn't told twice. */
  told: string | undefined;
  goneInARow: number;
  failures: number;
}

/**
 * Keeps the addresses of DNS names up to date: asks again when their time to live is over (at least 1, at most 60
 * seconds). A server that fails or is silent costs nothing that is known; a name that DNS denies three times is dropped.
 */
export class NameResolver {
  readonly #options: NameResolverOptions;
  readonly #watched = new Map<string, Watched>();
  #waiters: (() => void)[] = [];

  constructor(options: NameResolverOptions) {
    this.#options = options;
  }

  /** From now on these names are kept up to date, and no others. */
  watch(names: ReadonlySet<string>): void {
    for (const [name, watched] of this.#watched) {
      if (names.has(name)) continue;
      clearTimeout(watched.timer);
      this.#watched.delete(name);
    }
    for (const name of names) {
      if (this.#watched.has(name)) continue;
      const watched = {
        timer: undefined,
        addresses: this.#options.known?.get(name),
        told: undefined,
        goneInARow: 0,
        failures: 0,
      };
      this.#watched.set(name, watched);
      void this.#ask(name, watched);
    }
    this.#wake();
  }

  /** Resolves when every watched name has been answered once, well or badly. */
  async answered(): Promise<void> {
    while ([...this.#watched.values()].some(({ told }) => told === undefined)) {
      await new Promise<void>((resolve) => this.#waiters.push(resolve));
    }
  }

  /** Names that weren't answered yet stand for what they stood for in an earlier run, where that is known. */
  useKnown(): void {
    for (const [name, watched] of this.#watched) {
      if (watched.told === undefined && watched.addresses !== undefined)
        this.#tell(name, watched, { addresses: watched.addresses });
    }
    this.#wake();
  }

  stop(): void {
    this.watch(new Set());
  }

  async #ask(name: string, watched: Watched): Promise<void> {
    const result = await this.#options
      .query(name)
      .catch((error: unknown): NameResult => ({ outcome: 'failed', error: String(error) }));
    if (this.#watched.get(name) !== watched) return;
    const seconds = this.#note(name, watched, result);
    if (Number.isFinite(seconds))
      watched.timer = setTimeout(() => void this.#ask(name, watched), seconds * 1000).unref();
    this.#wake();
  }

  /** Tells what is new; answers in how many seconds to ask again. */
  #note(name: string, watched: Watched, result: NameResult): number {
    if (result.outcome === 'found') {
      watched.addresses = result.addresses;
      watched.goneInARow = 0;
      watched.failures = 0;
      this.#tell(name, watched, { addresses: result.addresses });
      return Number.isFinite(result.ttlSeconds)
        ? Math.min(LONGEST_TTL, Math.max(SHORTEST_TTL, result.ttlSeconds))
        : result.ttlSeconds;
    }
    watched.failures++;
    watched.goneInARow = result.outcome === 'gone' ? watched.goneInARow + 1 : 0;
    if (watched.goneInARow >= GONE_AFTER) watched.addresses = undefined;
    this.#tell(
      name,
      watched,
      watched.addresses === undefined ? { error: result.error } : { addresses: watched.addresses },
    );
    return backOff(watched.failures, this.#options.random, SHORTEST_TTL * 1000, LONGEST_TTL * 1000) / 1000;
  }

  #tell(name: string, watched: Watched, answer: NameAnswer): void {
    const told = JSON.stringify(answer);
    if (watched.told === told) return;
    watched.told = told;
    this.#options.onAnswer(name, answer);
    const good = [...this.#watched].flatMap(([each, { addresses }]) =>
      addresses === undefined ? [] : [[each, addresses] as const],
    );
    this.#options.known?.replace(new Map(good));
  }

  #wake(): void {
    const waiters = this.#waiters;
    this.#waiters = [];
    for (const waiter of waiters) waiter();
  }
}
