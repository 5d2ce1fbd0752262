import { faultFinding } from '../diagnostics/fault-finding.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { emptyDelta, mergeDeltas } from '../model/diff.ts';
import type { Model, ModelDelta } from '../model/model.ts';
import type { ObjectRef } from '../model/origin.ts';
import type { NeedChange } from '../snapshot/needed-keys.ts';
import { type ResourceChange, resourceKey } from '../snapshot/resource.ts';
import type { NameAnswer, Translator } from '../translate/translator.ts';

const WHOLE: ObjectRef = { kind: 'Configuration', namespace: '', name: 'weir' };

/**
 * A translator that never throws. What the one inside fails at is told, and tried again at each tick until it works or is
 * replaced; everything else goes on. Deltas say all that changed as long as nothing was thrown: `onLost` is called where
 * the one that was thrown away may have said more, so that the whole model is to be compared.
 */
export class SteadyTranslator implements Translator {
  readonly #inner: Translator;
  readonly #onLost: () => void;
  readonly #changes = new Map<string, ResourceChange>();
  readonly #answers = new Map<string, NameAnswer>();
  /** By what failed. */
  readonly #faults = new Map<string, Finding>();
  #lastFindings: readonly Finding[] = [];
  #lastNames: ReadonlySet<string> = new Set();

  constructor(inner: Translator, onLost: () => void) {
    this.#inner = inner;
    this.#onLost = onLost;
  }

  get model(): Model {
    return this.#inner.model;
  }

  update(changes: readonly ResourceChange[]): ModelDelta {
    for (const change of changes) this.#forget(refOf(change));
    try {
      const delta = this.#inner.update(changes);
      this.#faults.delete('update');
      return delta;
    } catch (error) {
      this.#onLost();
      // With nothing to leave out there is no culprit among the objects.
      if (changes.length === 0) this.#note('update', WHOLE, 'translating', error);
      return mergeDeltas(...changes.map((change) => this.#updateOne(change)));
    }
  }

  refuses(ref: ObjectRef): boolean {
    return this.#changes.has(resourceKey(ref)) || (this.#attempt('refuses', () => this.#inner.refuses(ref)) ?? false);
  }

  neededNames(): ReadonlySet<string> {
    this.#lastNames = this.#attempt('names', () => this.#inner.neededNames()) ?? this.#lastNames;
    return this.#lastNames;
  }

  resolved(name: string, answer: NameAnswer): ModelDelta {
    this.#answers.delete(name);
    const delta = this.#attempt(`name ${name}`, () => this.#inner.resolved(name, answer));
    if (delta === undefined) {
      this.#onLost();
      this.#answers.set(name, answer);
    }
    return delta ?? emptyDelta();
  }

  takeSecretNeeds(): readonly NeedChange[] {
    return this.#attempt('needs', () => this.#inner.takeSecretNeeds()) ?? [];
  }

  findings(): readonly Finding[] {
    this.#lastFindings = this.#attempt('findings', () => this.#inner.findings()) ?? this.#lastFindings;
    return [...this.#lastFindings, ...this.#faults.values()];
  }

  tick(): ModelDelta {
    const changes = [...this.#changes.values()];
    const answers = [...this.#answers];
    return mergeDeltas(
      ...changes.map((change) => this.#updateOne(change)),
      ...answers.map(([name, answer]) => this.resolved(name, answer)),
      this.#attempt('tick', () => this.#inner.tick()) ?? this.#lost(),
    );
  }

  #lost(): ModelDelta {
    this.#onLost();
    return emptyDelta();
  }

  #updateOne(change: ResourceChange): ModelDelta {
    const ref = refOf(change);
    try {
      const delta = this.#inner.update([change]);
      this.#forget(ref);
      return delta;
    } catch (error) {
      this.#onLost();
      this.#changes.set(resourceKey(ref), change);
      this.#note(resourceKey(ref), ref, `translating ${resourceKey(ref)}`, error);
      return emptyDelta();
    }
  }

  #attempt<Result>(what: string, work: () => Result): Result | undefined {
    try {
      const result = work();
      this.#faults.delete(what);
      return result;
    } catch (error) {
      this.#note(what, WHOLE, `translating (${what})`, error);
      return undefined;
    }
  }

  #note(subject: string, ref: ObjectRef, what: string, error: unknown): void {
    const meanwhile = 'What was in force stays; it is tried again every minute';
    const secret = ref.kind === 'Secret';
    this.#faults.set(subject, faultFinding({ object: ref, field: '' }, what, error, meanwhile, { secret }));
  }

  #forget(ref: ObjectRef): void {
    this.#changes.delete(resourceKey(ref));
    this.#faults.delete(resourceKey(ref));
  }
}

function refOf(change: ResourceChange): ObjectRef {
  return change.type === 'put' ? change.resource.ref : change.ref;
}
