import type { Finding } from '../../../diagnostics/finding.ts';
import type { Profile } from '../conf/profile.ts';

/** What must be remembered of a rendered host until it changes. */
export interface HostFacts {
  readonly backends: Iterable<string>;
  /** Ids of those that weir shows to its backends. */
  readonly certificates: ReadonlySet<string>;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly findings: readonly Finding[];
  /** weir failed at rendering it: it is tried again with the next change. */
  readonly faulty?: boolean;
}

/** The same without what is empty: there are as many of these as hosts, and most need no profile. */
export function leanFacts({ backends, certificates, profiles, findings }: HostFacts): HostFacts {
  return {
    backends: [...backends],
    certificates: certificates.size === 0 ? NONE : certificates,
    profiles: profiles.size === 0 ? NO_PROFILES : profiles,
    findings: findings.length === 0 ? NO_FINDINGS : findings,
  };
}

const NO_PROFILES: ReadonlyMap<string, Profile> = new Map();
const NO_FINDINGS: readonly Finding[] = [];

/** Hosts by something that they name. */
export class HostIndex {
  /** One host as it is, several as a set: most backends are of one host, and a set of one takes ten times the memory. */
  readonly #hosts = new Map<string, string | Set<string>>();

  replace(host: string, before: Iterable<string>, after: Iterable<string>): void {
    for (const name of before) {
      const hosts = this.#hosts.get(name);
      if (hosts instanceof Set) hosts.delete(host);
      if (hosts === host || (hosts instanceof Set && hosts.size === 0)) this.#hosts.delete(name);
    }
    for (const name of after) {
      const hosts = this.#hosts.get(name);
      if (hosts === undefined) this.#hosts.set(name, host);
      else if (hosts instanceof Set) hosts.add(host);
      else if (hosts !== host) this.#hosts.set(name, new Set([hosts, host]));
    }
  }

  hostsOf(name: string): ReadonlySet<string> {
    const hosts = this.#hosts.get(name);
    return typeof hosts === 'string' ? new Set([hosts]) : (hosts ?? NONE);
  }

  names(): IterableIterator<string> {
    return this.#hosts.keys();
  }
}

const NONE: ReadonlySet<string> = new Set();
