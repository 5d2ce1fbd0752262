import type { AuthorityText } from './authority-record.ts';
import { recordKey } from './record-key.ts';
import { recordChecksum } from './record-text.ts';

/** What each user asks for now, by the key of its record; undefined: nothing. */
export type AuthorityUses = ReadonlyMap<string, AuthorityText | undefined>;

/** Bundles of authorities, each once for all hosts and listeners that ask for it, and gone with the last of them. */
export class AuthorityBook {
  readonly #ids = new Map<string, string>();
  readonly #bundles = new Map<string, { readonly text: string; users: number }>();

  /** Pure: the records that come and go if the users asked for this; as an evaluation has changes. */
  changes(uses: AuthorityUses): ReadonlyMap<string, string | undefined> {
    const difference = new Map<string, { text: string; users: number }>();
    const count = (id: string | undefined, text: string, by: number) => {
      if (id === undefined) return;
      const known = difference.get(id) ?? { text, users: 0 };
      difference.set(id, { text: known.text === '' ? text : known.text, users: known.users + by });
    };
    for (const [user, use] of uses) {
      count(this.#ids.get(user), '', -1);
      count(use?.id, use?.text ?? '', 1);
    }
    const changes = new Map<string, string | undefined>();
    for (const [id, { text, users }] of difference) {
      const before = this.#bundles.get(id)?.users ?? 0;
      if (before === 0 && users > 0) changes.set(recordKey('a', id), recordChecksum(text));
      if (before > 0 && before + users === 0) changes.set(recordKey('a', id), undefined);
    }
    return changes;
  }

  commit(uses: AuthorityUses): void {
    for (const [user, use] of uses) {
      const before = this.#ids.get(user);
      if (before === use?.id) continue;
      if (use === undefined) this.#ids.delete(user);
      else {
        this.#ids.set(user, use.id);
        const bundle = this.#bundles.get(use.id) ?? { text: use.text, users: 0 };
        bundle.users += 1;
        this.#bundles.set(use.id, bundle);
      }
      const former = before === undefined ? undefined : this.#bundles.get(before);
      if (before === undefined || former === undefined) continue;
      former.users -= 1;
      if (former.users === 0) this.#bundles.delete(before);
    }
  }

  /** Whether the user asks for any. */
  has(user: string): boolean {
    return this.#ids.has(user);
  }

  text(id: string): string | undefined {
    return this.#bundles.get(id)?.text;
  }
}
