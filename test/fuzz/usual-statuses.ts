import { type Asker, isSendable, probesOf } from './probe.ts';
import type { Spoiled } from './spoiled.ts';

/** What requests are answered where an annotation is used as it is meant: not always 200, nobody being there to speak gRPC, say. */
export class UsualStatuses {
  readonly #byName = new Map<string, Set<number>>();

  async learn(harmless: Spoiled, asker: Asker): Promise<void> {
    for (const probe of probesOf(harmless).filter(isSendable)) {
      const { status } = await asker.ask(probe);
      for (const { place } of harmless.mutations) {
        const name = nameOf(place.annotation ?? '');
        this.#byName.set(name, (this.#byName.get(name) ?? new Set()).add(status));
      }
    }
  }

  /** `key`: with whichever prefix. */
  of(key: string): ReadonlySet<number> {
    return this.#byName.get(nameOf(key)) ?? new Set();
  }
}

function nameOf(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}
