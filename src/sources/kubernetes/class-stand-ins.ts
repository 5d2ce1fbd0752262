import { INGRESS_CONTROLLER } from '../../snapshot/kinds/ingress-class.ts';
import { objectKey } from '../../snapshot/object-head.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import type { ObjectWatch } from './object-watch.ts';

/** IngressClass objects in the place of those that weir may not read: the classes that it serves are taken to be there, and its own. */
export class ClassStandIns {
  readonly #names: readonly string[];
  #standing = false;

  constructor(names: readonly string[]) {
    this.#names = names;
  }

  /** What is to be delivered now that the watch of IngressClasses is as it is. */
  changed(classes: ObjectWatch): readonly ResourceChange[] {
    const wanted = !classes.isSynced && (classes.refusals > 0 || this.#standing);
    if (wanted === this.#standing) return [];
    this.#standing = wanted;
    const ref = (name: string) => ({ kind: 'IngressClass', namespace: '', name });
    if (wanted) return this.#names.map((name) => ({ type: 'put', resource: { ref: ref(name), body: standIn(name) } }));
    const missing = this.#names.filter((name) => !classes.held.has(objectKey('', name)));
    return missing.map((name) => ({ type: 'delete', ref: ref(name) }));
  }
}

function standIn(name: string) {
  return { metadata: { name }, spec: { controller: INGRESS_CONTROLLER } };
}
