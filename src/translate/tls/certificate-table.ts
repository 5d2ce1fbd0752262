import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Certificate } from '../../model/certificate.ts';
import { FAULT_FINDINGS } from '../../diagnostics/faults.ts';
import { faultText } from '../../diagnostics/fault-finding.ts';
import { equalParts } from '../../model/equality.ts';
import type { SecretObject } from '../../snapshot/kinds/secret.ts';
import { type NeedChange, NeededKeys } from '../../snapshot/needed-keys.ts';
import { originOf } from '../../snapshot/object-head.ts';
import { ReferenceIndex } from '../../snapshot/reference-index.ts';
import type { Snapshot } from '../../snapshot/snapshot.ts';
import type { FindingBook } from '../finding-book.ts';
import { type KeyPairProblem, readKeyPair } from './key-pair.ts';
import { validityProblem } from './validity.ts';

/** What users of a Secret need to know; equal states mean that nothing changes for them. */
export interface CertificateState {
  readonly id: string;
  /** There is a certificate or a key, usable or not. */
  readonly hasPair: boolean;
  /** `ca.crt` as it stands there. */
  readonly authorities?: string;
  /** `ca.crl` as it stands there. */
  readonly revocations?: string;
  /** Absent: the pair can't be used. */
  readonly usable?: { readonly keyType: Certificate['keyType']; readonly names: readonly string[] };
  readonly problems: readonly { readonly entry: CatalogueEntry; readonly message: string }[];
  readonly exists: boolean;
  /** It doesn't exist for weir because its shape is wrong, of which another finding tells. */
  readonly refused?: true;
}

interface Entry {
  readonly state: CertificateState;
  readonly certificate?: Certificate;
  /** Of the pair alone. */
  readonly problems: readonly KeyPairProblem[];
  /** With what the clock adds. */
  readonly allProblems: readonly KeyPairProblem[];
  /** weir failed at it: it is tried again. */
  readonly faulty?: boolean;
}

/** Reads the Secrets that something refers to, and only those; in the model stand those that are used. */
export class CertificateTable {
  readonly #snapshot: Snapshot;
  readonly #now: () => Date;
  readonly #book: FindingBook;
  readonly #certificates: Map<string, Certificate>;
  readonly #entries = new Map<string, Entry>();
  /** User → Secrets that it names. */
  readonly #named = new ReferenceIndex();
  /** User → certificates that it sends to clients. */
  readonly #used = new ReferenceIndex();
  readonly #dirty = new Set<string>();
  readonly #needs = new NeededKeys();

  /** `certificates` is the model's table, which is written here and nowhere else. */
  constructor(snapshot: Snapshot, now: () => Date, book: FindingBook, certificates: Map<string, Certificate>) {
    this.#snapshot = snapshot;
    this.#now = now;
    this.#book = book;
    this.#certificates = certificates;
  }

  /** The Secret's state, read at the first question. Whoever asks says so afterwards by `use`. */
  state(secretKey: string): CertificateState {
    return this.#entry(secretKey).state;
  }

  /** `user` now names these Secrets, and sends these certificates. */
  use(user: string, named: ReadonlySet<string>, used: ReadonlySet<string>): void {
    for (const key of this.#named.set(user, named)) {
      this.#dirty.add(key);
      this.#needs.remove(key);
    }
    for (const key of named) this.#needs.add(key);
    const before = this.#used.targets(user);
    this.#used.set(user, used);
    for (const key of before) if (!used.has(key)) this.#dirty.add(key);
    for (const key of used) if (!before.includes(key)) this.#dirty.add(key);
  }

  /** Secrets that are named now and weren't at the last call, or the other way round. */
  takeNeeds(): readonly NeedChange[] {
    return this.#needs.take();
  }

  /** The Secret changed, came or went. Returns the users for whom that makes a difference. */
  secretChanged(secretKey: string): readonly string[] {
    const before = this.#entries.get(secretKey);
    if (before === undefined) return [];
    this.#entries.delete(secretKey);
    this.#dirty.add(secretKey);
    return equalParts(before.state, this.#read(secretKey, before).state) ? [] : this.#named.users(secretKey);
  }

  /** Looks at the time. Returns the users of certificates whose validity is another now. */
  timePassed(): ReadonlySet<string> {
    const users = new Set<string>();
    for (const [key, entry] of this.#entries) {
      if (entry.certificate === undefined && entry.faulty !== true) continue;
      const next = this.#read(key, entry, entry.faulty === true ? undefined : entry);
      if (equalParts(next.state, entry.state)) continue;
      for (const user of this.#named.users(key)) users.add(user);
    }
    return users;
  }

  /** Brings the model's table and the findings about Secrets up to date. Returns the ids that changed in the model. */
  rebuild(): ReadonlySet<string> {
    const changed = new Set<string>();
    for (const key of this.#dirty) {
      if (!this.#named.isUsed(key)) this.#entries.delete(key);
      const entry = this.#entries.get(key);
      this.#report(key, entry);
      if (this.#store(key, this.#used.isUsed(key) ? entry?.certificate : undefined)) changed.add(key);
    }
    this.#dirty.clear();
    return changed;
  }

  #store(id: string, after: Certificate | undefined): boolean {
    if (after === undefined) return this.#certificates.delete(id);
    const before = this.#certificates.get(id);
    if (before !== undefined && equalParts(before, after)) return false;
    this.#certificates.set(id, after);
    return true;
  }

  #entry(secretKey: string): Entry {
    const known = this.#entries.get(secretKey);
    return known ?? this.#read(secretKey);
  }

  /** `before` stays where weir fails at it. `pair`: the Secret is as it was, only the time isn't. */
  #read(secretKey: string, before?: Entry, pair?: Pick<Entry, 'certificate' | 'problems'>): Entry {
    const secret = this.#snapshot.get('Secret', secretKey);
    let entry: Entry;
    try {
      const { certificate, problems } = pair ?? (secret === undefined ? { problems: [] } : readKeyPair(secret));
      entry = this.#judge(secretKey, certificate, problems, secret);
    } catch (error) {
      entry = faultyEntry(secretKey, error, before);
    }
    if (pair !== undefined && before !== undefined && equalParts(entry.state, before.state)) return before;
    this.#entries.set(secretKey, entry);
    this.#dirty.add(secretKey);
    return entry;
  }

  #judge(
    id: string,
    certificate: Certificate | undefined,
    problems: readonly KeyPairProblem[],
    secret: SecretObject | undefined,
  ): Entry {
    const exists = secret !== undefined;
    const validity = certificate === undefined ? undefined : validityProblem(certificate, this.#now());
    const all = validity === undefined ? problems : [...problems, validity];
    return {
      state: {
        id,
        exists,
        ...(exists || !this.#refuses(id) ? {} : { refused: true as const }),
        hasPair: secret?.certificate !== undefined || secret?.privateKey !== undefined,
        ...(secret?.authorities === undefined ? {} : { authorities: secret.authorities.reveal() }),
        ...(secret?.revocations === undefined ? {} : { revocations: secret.revocations.reveal() }),
        ...(certificate === undefined ? {} : { usable: { keyType: certificate.keyType, names: certificate.names } }),
        problems: all.map(({ entry, message }) => ({ entry, message })),
      },
      ...(certificate === undefined ? {} : { certificate }),
      problems,
      allProblems: all,
    };
  }

  #refuses(secretKey: string): boolean {
    const [namespace = '', name = ''] = secretKey.split('/');
    return this.#snapshot.refuses({ kind: 'Secret', namespace, name });
  }

  #report(key: string, entry: Entry | undefined): void {
    const secret = this.#snapshot.get('Secret', key);
    // One that holds authorities alone is no key pair, and whoever takes it for one is told so.
    const isPair = entry?.state.authorities === undefined || entry.state.hasPair;
    const problems = isPair ? (entry?.allProblems ?? []) : [];
    this.#book.set(
      `secret ${key}`,
      secret === undefined
        ? []
        : problems.map(({ entry: kind, field, message }) => finding(kind, originOf(secret, field), message)),
    );
  }
}

/** The exception may quote the Secret, so that only its kind and place are told. */
function faultyEntry(id: string, error: unknown, before: Entry | undefined): Entry {
  const kept = before?.certificate === undefined ? '' : ' The certificate before it stays.';
  const message = `weir failed at reading the certificate: ${faultText(error, true)}.${kept}`;
  const problem = { entry: FAULT_FINDINGS.fault, field: '', message };
  return {
    state: {
      id,
      exists: true,
      hasPair: true,
      ...(before?.state.authorities === undefined ? {} : { authorities: before.state.authorities }),
      ...(before?.state.revocations === undefined ? {} : { revocations: before.state.revocations }),
      ...(before?.state.usable === undefined ? {} : { usable: before.state.usable }),
      problems: [{ entry: problem.entry, message }],
    },
    ...(before?.certificate === undefined ? {} : { certificate: before.certificate }),
    problems: [problem],
    allProblems: [problem],
    faulty: true,
  };
}
