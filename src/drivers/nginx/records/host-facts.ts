import type { Finding } from '../../../diagnostics/finding.ts';
import type { Profile } from '../conf/profile.ts';

/** What must be remembered of a rendered host until it changes. */
export interface HostFacts {
  readonly backends: ReadonlySet<string>;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly findings: readonly Finding[];
  /** weir failed at rendering it: it is tried again with the next change. */
  readonly faulty?: boolean;
}

/** Hosts by something that they name. */
export class HostIndex {
  readonly #hosts = new Map<string, Set<string>>();

  replace(host: string, before: Iterable<string>, after: Iterable<string>): void {
    for (const name of before) {
      const hosts = this.#hosts.get(name);
      hosts?.delete(host);
      if (hosts?.size === 0) this.#hosts.delete(name);
    }
    for (const name of after) {
      const hosts = this.#hosts.get(name);
      if (hosts === undefined) this.#hosts.set(name, new Set([host]));
      else hosts.add(host);
    }
  }

  hostsOf(name: string): ReadonlySet<string> {
    return this.#hosts.get(name) ?? NONE;
  }

  names(): IterableIterator<string> {
    return this.#hosts.keys();
  }
}

const NONE: ReadonlySet<string> = new Set();
