import type { ObjectRef } from '../../model/origin.ts';
import { RESOURCE_KINDS, type Place, type Resource, type ResourceKind } from '../../snapshot/resource.ts';
import { isFields } from './is-fields.ts';

/**
 * An object as a file gives it. Its content is kept as JSON, parsed each time it is asked for: as objects it would take
 * several times the memory, for as long as it is there, and it is read once.
 */
export class ManifestObject implements Resource {
  readonly ref: ObjectRef;
  readonly place: Place;
  readonly #json: string;

  private constructor(ref: ObjectRef, json: string, place: Place) {
    this.ref = ref;
    this.#json = json;
    this.place = place;
  }

  /** Of an object that was parsed, and its JSON. Keeps neither, nor the file's text that its strings may refer to. */
  static of({ kind, namespace, name }: ObjectRef, object: unknown, json: string, place: Place): ManifestObject {
    const lean = withoutBookkeeping(object);
    const ref = { kind: ownKind(kind), namespace: copied(namespace), name: copied(name) };
    return new ManifestObject(ref, lean === object ? json : JSON.stringify(lean), place);
  }

  static from({ ref, body, place }: Required<Resource>): ManifestObject {
    return new ManifestObject(ref, JSON.stringify(body), place);
  }

  get body(): unknown {
    return JSON.parse(this.#json);
  }

  /** The same object at another place. */
  at(place: Place): ManifestObject {
    return new ManifestObject(this.ref, this.#json, place);
  }

  /** Whether both have the same content, written in the same order. */
  saysSameAs(other: ManifestObject): boolean {
    return this.#json === other.#json;
  }

  toJSON(): Required<Resource> {
    return { ref: this.ref, body: this.body, place: this.place };
  }
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/** What API server and kubectl note about an object for themselves: nothing reads it, and it is larger than the rest. */
function withoutBookkeeping(object: unknown): unknown {
  if (!isFields(object) || !isFields(object['metadata'])) return object;
  const { managedFields, ...metadata } = object['metadata'];
  const { annotations } = metadata;
  const applied = isFields(annotations) && typeof annotations[LAST_APPLIED] === 'string';
  if (managedFields === undefined && !applied) return object;
  if (!applied) return { ...object, metadata };
  const { [LAST_APPLIED]: _, ...others } = annotations;
  return { ...object, metadata: { ...metadata, annotations: others } };
}

function ownKind(kind: string): string {
  return KINDS.find((known) => known === kind) ?? copied(kind);
}

const KINDS = Object.keys(RESOURCE_KINDS) as readonly ResourceKind[];

/** A string of its own: a part of a longer one would keep that in memory. */
function copied(text: string): string {
  return JSON.parse(JSON.stringify(text)) as string;
}
