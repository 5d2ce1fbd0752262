/**
 * The objects weir knows, by kind, each checked against its schema when it comes in.
 *
 * An object of the wrong shape never replaces a good one: an API server would have refused the update, so the version
 * before it holds (and nothing, where there was none). What was wrong is a finding until the object is put right or
 * deleted.
 */
import type { TSchema } from 'typebox';
import { finding } from '../diagnostics/catalogue.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../diagnostics/ingress.ts';
import { equalParts } from '../model/equality.ts';
import type { ObjectRef } from '../model/origin.ts';
import { type KindDefinition, KindReader } from './kind-reader.ts';
import { ENDPOINT_SLICE, type EndpointSliceObject } from './kinds/endpoint-slice.ts';
import { ENDPOINTS, type EndpointsObject } from './kinds/endpoints.ts';
import { INGRESS_CLASS, type IngressClassObject } from './kinds/ingress-class.ts';
import { INGRESS, type IngressObject } from './kinds/ingress.ts';
import { SECRET, type SecretObject } from './kinds/secret.ts';
import { SERVICE, type ServiceObject } from './kinds/service.ts';
import { type ObjectHead, objectKey } from './object-head.ts';
import { ReferenceIndex } from './reference-index.ts';
import type { Resource, ResourceChange } from './resource.ts';
import type { FieldProblem } from './shape.ts';

/** Kinds that are kept; changes of others pass unnoticed. */
export interface SnapshotKinds {
  Ingress: IngressObject;
  IngressClass: IngressClassObject;
  Service: ServiceObject;
  EndpointSlice: EndpointSliceObject;
  Endpoints: EndpointsObject;
  Secret: SecretObject;
}
export type SnapshotKind = keyof SnapshotKinds;

/** What a change did. `before` and `after` are one object where only the findings changed. */
export type SnapshotEffect = {
  [Kind in SnapshotKind]: {
    readonly kind: Kind;
    readonly key: string;
    readonly before: SnapshotKinds[Kind] | undefined;
    readonly after: SnapshotKinds[Kind] | undefined;
    /** What is wrong with the object's shape. */
    readonly findings: readonly Finding[];
  };
}[SnapshotKind];

export class Snapshot {
  readonly #tables: { readonly [Kind in SnapshotKind]: Table<SnapshotKinds[Kind]> } = {
    Ingress: new Table(INGRESS),
    IngressClass: new Table(INGRESS_CLASS),
    Service: new Table(SERVICE),
    EndpointSlice: new Table(ENDPOINT_SLICE),
    Endpoints: new Table(ENDPOINTS),
    Secret: new Table(SECRET),
  };
  readonly #slices = new ReferenceIndex();

  apply(change: ResourceChange): SnapshotEffect | undefined {
    const ref = change.type === 'put' ? change.resource.ref : change.ref;
    if (!Object.hasOwn(this.#tables, ref.kind)) return undefined;
    const kind = ref.kind as SnapshotKind;
    const table: Table<ObjectHead> = this.#tables[kind];
    const key = objectKey(ref.namespace, ref.name);
    const effect = change.type === 'put' ? table.put(key, change.resource) : table.delete(key);
    if (kind === 'EndpointSlice') this.#indexSlice(key, effect.after as EndpointSliceObject | undefined);
    return { kind, key, ...effect } as SnapshotEffect;
  }

  /** Whether the object as it was last put has the wrong shape: the version before it holds, if there was one. */
  refuses(ref: ObjectRef): boolean {
    if (!Object.hasOwn(this.#tables, ref.kind)) return false;
    return this.#tables[ref.kind as SnapshotKind].refused.has(objectKey(ref.namespace, ref.name));
  }

  get<Kind extends SnapshotKind>(kind: Kind, key: string): SnapshotKinds[Kind] | undefined {
    return this.#tables[kind].objects.get(key) as SnapshotKinds[Kind] | undefined;
  }

  all<Kind extends SnapshotKind>(kind: Kind): Iterable<SnapshotKinds[Kind]> {
    return this.#tables[kind].objects.values() as Iterable<SnapshotKinds[Kind]>;
  }

  /** Slices that say they belong to this Service, by name. */
  slicesOf(serviceKey: string): readonly EndpointSliceObject[] {
    return [...this.#slices.users(serviceKey)].sort().map((key) => this.#tables.EndpointSlice.objects.get(key)!);
  }

  #indexSlice(key: string, slice: EndpointSliceObject | undefined): void {
    const service = slice?.service;
    this.#slices.set(
      key,
      slice === undefined || service === undefined ? new Set() : new Set([objectKey(slice.ref.namespace, service)]),
    );
  }
}

interface TableEffect<T> {
  readonly before: T | undefined;
  readonly after: T | undefined;
  readonly findings: readonly Finding[];
}

class Table<T extends ObjectHead> {
  readonly objects = new Map<string, T>();
  /** Objects last put in the wrong shape. */
  readonly refused = new Set<string>();
  readonly #definition: KindDefinition<TSchema, T>;
  #reader: KindReader<T> | undefined;

  constructor(definition: KindDefinition<TSchema, T>) {
    this.#definition = definition;
  }

  put(key: string, resource: Resource): TableEffect<T> {
    // Compiled at the first object: a cluster that has none of the kind doesn't pay for it.
    this.#reader ??= new KindReader(this.#definition);
    const before = this.objects.get(key);
    const result = this.#reader.read(resource);
    if ('problems' in result) {
      this.refused.add(key);
      const findings = result.problems.map((problem) => shapeFinding(resource, problem, before !== undefined));
      return { before, after: before, findings };
    }
    this.refused.delete(key);
    if (before !== undefined && equalParts(before, result.object)) return { before, after: before, findings: [] };
    this.objects.set(key, result.object);
    return { before, after: result.object, findings: [] };
  }

  delete(key: string): TableEffect<T> {
    const before = this.objects.get(key);
    this.refused.delete(key);
    this.objects.delete(key);
    return { before, after: undefined, findings: [] };
  }
}

function shapeFinding(resource: Resource, { field, problem }: FieldProblem, hasPrevious: boolean): Finding {
  const origin = {
    object: resource.ref,
    field,
    ...(resource.place === undefined ? {} : { file: resource.place.file, line: resource.place.line }),
  };
  const meanwhile = hasPrevious ? 'the version before it stays in force' : 'the object is not used';
  const what = field === '' ? `The object ${problem}` : `${field} ${problem}`;
  const fix = field.startsWith('metadata.annotations[')
    ? 'Write the value in quotes: annotation values are strings.'
    : INGRESS_FINDINGS.wrongShape.fix;
  return finding(INGRESS_FINDINGS.wrongShape, origin, `${what}; ${meanwhile}.`, fix);
}
