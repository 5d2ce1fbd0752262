import type { Schema } from './kind-schemas.ts';

/** A step into an object: a member, the first item of a list, a key of a map whose keys are free, or that key itself. */
export type Step =
  | { readonly member: string }
  | { readonly item: true }
  | { readonly entry: string }
  | { readonly renamed: string };
export type FieldPath = readonly Step[];

type Json = Record<string, unknown>;

/** Key of an entry that the sample object doesn't have. */
const NEW_KEY = 'example.org/fuzz';

/** Every leaf of the schema; of a map the entries that the sample has, a new one, and a key. */
export function leavesOf(schema: Schema, sample: unknown): readonly FieldPath[] {
  if (schema.properties !== undefined) {
    return Object.entries(schema.properties).flatMap(([member, inner]) =>
      leavesOf(inner, (sample as Json | undefined)?.[member]).map((path) => [{ member }, ...path]),
    );
  }
  if (schema.patternProperties !== undefined) {
    const keys = Object.keys((sample as Json | undefined) ?? {});
    return [
      ...[...keys, NEW_KEY].map((entry): FieldPath => [{ entry }]),
      [{ renamed: NEW_KEY }],
      ...keys.map((renamed): FieldPath => [{ renamed }]),
    ];
  }
  if (schema.items !== undefined) {
    const item = Array.isArray(sample) ? (sample as unknown[])[0] : undefined;
    return leavesOf(schema.items, item).map((path) => [{ item: true }, ...path]);
  }
  return [[]];
}

export function pathText(path: FieldPath): string {
  return path
    .map((step) => {
      if ('member' in step) return `.${step.member}`;
      if ('item' in step) return '[0]';
      return 'entry' in step ? `["${step.entry}"]` : `["${step.renamed}"] (key)`;
    })
    .join('');
}

/** Puts there what `change` makes of the text that stands there (or of `otherwise`), and the containers on the way to it. */
export function changeAt(
  target: unknown,
  path: FieldPath,
  otherwise: string,
  change: (text: string) => string,
): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return change(typeof target === 'string' ? target : otherwise);
  if ('item' in step) {
    const list = Array.isArray(target) ? [...(target as unknown[])] : [];
    list[0] = changeAt(list[0], rest, otherwise, change);
    return list;
  }
  const object: Json = Object.assign(Object.create(null) as Json, target);
  if ('renamed' in step) {
    const value = object[step.renamed] ?? 'fuzz';
    delete object[step.renamed];
    object[change(step.renamed)] = value;
    return object;
  }
  const key = 'member' in step ? step.member : step.entry;
  object[key] = changeAt(object[key], rest, otherwise, change);
  return object;
}

/** With what the schema requires beside what is there. */
export function completed(value: unknown, schema: Schema): unknown {
  if (schema.items !== undefined) {
    const { items } = schema;
    return Array.isArray(value) ? (value as unknown[]).map((item) => completed(item, items)) : value;
  }
  if (schema.properties === undefined || typeof value !== 'object' || value === null) return value;
  const object: Json = Object.assign(Object.create(null) as Json, value);
  for (const name of schema.required ?? []) object[name] ??= smallest(schema.properties[name] ?? {});
  for (const [name, inner] of Object.entries(schema.properties)) {
    if (object[name] !== undefined) object[name] = completed(object[name], inner);
  }
  return object;
}

function smallest(schema: Schema): unknown {
  switch (schema.type) {
    case 'object':
      return {};
    case 'array':
      return [];
    case 'integer':
      return schema.minimum ?? 1;
    case 'boolean':
      return true;
    default:
      return 'fuzz';
  }
}
