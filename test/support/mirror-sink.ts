import type { KubeObject } from '../../src/kube/kube-object.ts';
import type { ReflectorChange, ReflectorSink, ReflectorState } from '../../src/kube/reflector-sink.ts';

/**
 * Holds what a reflector tells of, and checks each word: no object goes back in version, a new life of a name comes after the end of the
 * one before, and what isn't there isn't deleted.
 */
export class MirrorSink implements ReflectorSink {
  readonly objects = new Map<string, KubeObject>();
  /** The changes of each call. */
  readonly batches: (readonly ReflectorChange[])[] = [];
  readonly states: ReflectorState[] = [];
  /** What the reflector must never say, and said. Not thrown: it would take that for a fault of the sink and try again. */
  readonly violations: string[] = [];
  syncs = 0;
  /** Keeps no changes, for tests that count memory. */
  forgetful = false;
  /** Objects may go back, as those of a server that was restored do. */
  forgiving = false;
  changeCount = 0;
  readonly #newest = new Map<string, number>();
  readonly #waiting = new Set<() => void>();

  changed(changes: readonly ReflectorChange[]): void {
    this.#check(changes.length > 0, 'a call without a change');
    if (!this.forgetful) this.batches.push(changes);
    this.changeCount += changes.length;
    for (const change of changes) this.#take(change);
    this.#wake();
  }

  synced(): void {
    this.syncs += 1;
    this.#wake();
  }

  state(state: ReflectorState): void {
    if (!this.forgetful) this.states.push(state);
    this.#wake();
  }

  get changes(): readonly ReflectorChange[] {
    return this.batches.flat();
  }

  /** The states' names in order; `forbidden` and `absent` for those kinds of waiting. */
  get stateNames(): readonly string[] {
    return this.states.map((state) => {
      if (state.state !== 'waiting') return state.state;
      return state.forbidden ? 'forbidden' : state.absent === true ? 'absent' : 'waiting';
    });
  }

  /** key → uid@version */
  get contents(): Readonly<Record<string, string>> {
    return contentsOf(this.objects.values());
  }

  /** Resolves when the condition holds; looked at after each word of the reflector, and now and then. */
  async until(condition: () => boolean, what = 'what was waited for', milliseconds = 30_000): Promise<void> {
    if (condition()) return;
    let look: () => void = () => {};
    let timer: NodeJS.Timeout | undefined;
    const often = setInterval(() => look(), 5);
    await new Promise<void>((resolve, reject) => {
      look = () => {
        if (condition()) resolve();
      };
      this.#waiting.add(look);
      timer = setTimeout(() => reject(new Error(`${what} did not come within ${milliseconds} ms`)), milliseconds);
    }).finally(() => {
      this.#waiting.delete(look);
      clearTimeout(timer);
      clearInterval(often);
    });
  }

  #take(change: ReflectorChange): void {
    const { name, namespace = '', uid, resourceVersion } = change.object.metadata;
    const key = `${namespace}/${name}`;
    const held = this.objects.get(key);
    if (change.type === 'delete') {
      this.#check(held !== undefined, `${key} is deleted but was not there`);
      this.#check(held?.metadata.uid === uid, `${key} is deleted by the uid of another life`);
      this.objects.delete(key);
      return;
    }
    this.#check(held === undefined || held.metadata.uid === uid, `${key} got a new uid without having been deleted`);
    const version = Number(resourceVersion);
    const newest = this.#newest.get(key);
    const goesOn = newest === undefined || version > newest;
    this.#check(this.forgiving || goesOn, `${key} went from version ${newest} to ${version}`);
    this.#newest.set(key, version);
    this.objects.set(key, change.object);
  }

  #check(right: boolean, wrong: string): void {
    if (!right) this.violations.push(wrong);
  }

  #wake(): void {
    for (const look of this.#waiting) look();
  }
}

export function contentsOf(objects: Iterable<KubeObject>): Readonly<Record<string, string>> {
  const entries = [...objects].map(({ metadata: { namespace = '', name, uid, resourceVersion } }) => [
    `${namespace}/${name}`,
    `${uid}@${resourceVersion}`,
  ]);
  return Object.fromEntries(entries.sort(([a = ''], [b = '']) => (a < b ? -1 : 1)));
}
