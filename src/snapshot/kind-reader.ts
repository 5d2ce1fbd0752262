import Type, { type Static, type TSchema } from 'typebox';
import type { ObjectHead } from './object-head.ts';
import type { Resource } from './resource.ts';
import { compileShape, type FieldProblem, type ShapeCheck } from './shape.ts';

/** How one kind is read: the schema of the fields that matter, and how they are kept. */
export interface KindDefinition<S extends TSchema, T extends ObjectHead> {
  readonly schema: S;
  /** Values of this kind never stand in a message. */
  readonly secret?: boolean;
  /** Keeps what is needed and nothing else; `body` has the schema's shape. */
  readonly keep: (head: ObjectHead, body: Static<S>) => T;
}

/** Fixes the type parameters of a definition. */
export function defineKind<S extends TSchema, T extends ObjectHead>(
  definition: KindDefinition<S, T>,
): KindDefinition<S, T> {
  return definition;
}

/** Fields of `metadata` that every kind has. A YAML reader may have made a date of the timestamp. */
export const Metadata = Type.Object({
  creationTimestamp: Type.Optional(Type.Unknown()),
  annotations: Type.Optional(Type.Record(Type.String(), Type.String())),
  labels: Type.Optional(Type.Record(Type.String(), Type.String())),
});

export class KindReader<T extends ObjectHead> {
  readonly #check: ShapeCheck;
  readonly #keep: (head: ObjectHead, body: never) => T;

  constructor(definition: KindDefinition<TSchema, T>) {
    this.#check = compileShape(definition.schema, definition.secret !== true);
    this.#keep = definition.keep as (head: ObjectHead, body: never) => T;
  }

  read(resource: Resource): { readonly object: T } | { readonly problems: readonly FieldProblem[] } {
    const checked = this.#check(resource.body);
    if ('problems' in checked) return checked;
    const { metadata } = checked.body as { metadata?: Static<typeof Metadata> };
    const created = readTimestamp(metadata?.creationTimestamp);
    if (created === null) {
      return { problems: [{ field: 'metadata.creationTimestamp', problem: 'is no RFC 3339 time' }] };
    }
    const head: ObjectHead = {
      ref: resource.ref,
      ...(created === undefined ? {} : { created }),
      ...(resource.place === undefined ? {} : { file: resource.place.file, line: resource.place.line }),
    };
    return { object: this.#keep(head, checked.body as never) };
  }
}

/** Null: there is something that is no time. */
function readTimestamp(value: unknown): string | undefined | null {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'string' && !(value instanceof Date)) return null;
  const time = new Date(value);
  if (Number.isNaN(time.getTime())) return null;
  return time.toISOString().replace('.000Z', 'Z');
}
