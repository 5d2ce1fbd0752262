import { createHash } from 'node:crypto';
import { finding } from '../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../diagnostics/drivers.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import type { Listener } from '../../model/listener.ts';
import type { Model } from '../../model/model.ts';
import type { RecordBook } from './records/record-book.ts';

interface Refusal {
  readonly why: string;
  /** Of what asked for it: when that changes, it is tried again. */
  readonly signature: string;
}

/** Profiles and listeners that nginx's own test refused, until what asked for them changes. */
export class Quarantine {
  readonly #profiles = new Map<string, Refusal>();
  readonly #listeners = new Map<string, Refusal>();

  /** By profile name: why. */
  get profiles(): ReadonlyMap<string, string> {
    return new Map([...this.#profiles].map(([name, { why }]) => [name, why]));
  }

  addProfile(name: string, why: string, book: RecordBook): void {
    this.#profiles.set(name, { why, signature: profileSignature(name, book) });
  }

  addListener(listener: Listener, why: string): void {
    this.#listeners.set(listener.name, { why, signature: listenerSignature(listener) });
  }

  allows(listener: Listener): boolean {
    return !this.#listeners.has(listener.name);
  }

  /** Lets go what has changed or is gone; tells whether a profile was among it. */
  lift(model: Model, book: RecordBook): boolean {
    for (const [name, { signature }] of this.#listeners) {
      const listener = model.listeners.get(name);
      if (listener === undefined || listenerSignature(listener) !== signature) this.#listeners.delete(name);
    }
    const before = this.#profiles.size;
    for (const [name, { signature }] of this.#profiles) {
      if (profileSignature(name, book) !== signature) this.#profiles.delete(name);
    }
    return this.#profiles.size !== before;
  }

  /** Those of profiles come with the routes that need them. */
  listenerFindings(model: Model): readonly Finding[] {
    return [...this.#listeners].flatMap(([name, { why }]) => {
      const listener = model.listeners.get(name);
      const message = `nginx refuses the configuration of listener ${name}: ${why}. It is left out, everything else is served.`;
      return listener === undefined ? [] : [finding(DRIVER_FINDINGS.quarantined, listener.origin, message)];
    });
  }
}

function profileSignature(name: string, book: RecordBook): string {
  const hash = createHash('sha256');
  for (const key of [...book.hostsOfProfile(name)].sort())
    hash.update(JSON.stringify(book.model.hosts.get(key) ?? key));
  return hash.digest('hex');
}

function listenerSignature(listener: Listener): string {
  return JSON.stringify(listener);
}
