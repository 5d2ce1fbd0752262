import type { TSchema } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import { Check, Errors } from 'typebox/value';
import { Redacted } from '../lib/redacted.ts';
import type { ModelTable } from './model.ts';
import { PART_SCHEMAS } from './part.ts';

/** What is wrong with a part's shape. `path` is within the part: `routes[0].action.status`, or '' for the part itself. */
export interface ShapeProblem {
  readonly path: string;
  readonly what: string;
}

const validators = new Map<ModelTable, Validator>();

/** Compiled at first use: most commands never look at most tables. */
function validator(table: ModelTable): Validator {
  const known = validators.get(table);
  if (known !== undefined) return known;
  const schema: TSchema = PART_SCHEMAS[table];
  const made: Validator = Compile(schema);
  validators.set(table, made);
  return made;
}

/** Problems with the part's shape by its schema; empty if it fits. Fields that the schema doesn't know are not looked for. */
export function checkShape(table: ModelTable, part: unknown): readonly ShapeProblem[] {
  if (validator(table).Check(part)) return [];
  return explainShape(PART_SCHEMAS[table], part, '');
}

/** Fields of a part of the right shape that its schema doesn't know: misspellings, mostly. */
export function unknownFields(table: ModelTable, part: unknown): readonly string[] {
  const known = validator(table).Clean(copy(part));
  const paths: string[] = [];
  collectLost(part, known, '', paths);
  return paths;
}

/**
 * Walks schema and value together down to what doesn't fit. The library's own list of errors names every branch of
 * every union and stops after eight; here only the branch that was meant (by its `type` or `kind`) is looked into.
 */
function explainShape(schema: TSchema, value: unknown, at: string): readonly ShapeProblem[] {
  const fits: boolean = Check(schema, value);
  if (fits) return [];
  const { anyOf, properties, required, items } = fieldsOf(schema);
  if (Array.isArray(anyOf)) return explainUnion(anyOf, value, at);
  const inner: ShapeProblem[] = [];
  if (isRecord(properties) && isRecord(value)) {
    for (const name of Array.isArray(required) ? required : []) {
      if (value[name] === undefined) inner.push({ path: join(at, name), what: 'is missing' });
    }
    for (const [name, property] of Object.entries(properties)) {
      if (value[name] !== undefined) inner.push(...explainShape(property as TSchema, value[name], join(at, name)));
    }
  }
  if (isRecord(items) && Array.isArray(value)) {
    for (const [index, item] of value.entries()) inner.push(...explainShape(items, item, `${at}[${index}]`));
  }
  if (inner.length > 0) return inner;
  return [{ path: at, what: Errors(schema, value)[0]?.message ?? 'does not fit its schema' }];
}

function explainUnion(branches: readonly TSchema[], value: unknown, at: string): readonly ShapeProblem[] {
  const constants = branches.map((branch) => fieldsOf(branch)['const']);
  if (constants.every((constant) => constant !== undefined))
    return [{ path: at, what: `must be ${either(constants)}` }];
  for (const name of ['type', 'kind']) {
    const names = branches.map((branch) => fieldsOf(fieldsOf(fieldsOf(branch)['properties'])[name])['const']);
    if (names.some((constant) => constant === undefined) || !isRecord(value)) continue;
    const meant = branches[names.indexOf(value[name])];
    if (meant === undefined) return [{ path: join(at, name), what: `must be ${either(names)}` }];
    return explainShape(meant, value, at);
  }
  return [{ path: at, what: 'is none of the forms it may have' }];
}

function either(values: readonly unknown[]): string {
  const words = [...new Set(values)].map((value) => JSON.stringify(value));
  return words.length === 1 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function fieldsOf(value: unknown): Readonly<Record<string, unknown>> {
  return isRecord(value) ? value : {};
}

function join(at: string, name: string): string {
  return at === '' ? name : `${at}.${name}`;
}

function copy(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof Redacted) return value;
  if (Array.isArray(value)) return value.map(copy);
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copy(item)]));
}

function collectLost(given: unknown, known: unknown, path: string, lost: string[]): void {
  if (typeof given !== 'object' || given === null || given instanceof Redacted) return;
  if (typeof known !== 'object' || known === null) return;
  for (const [key, item] of Object.entries(given)) {
    const at = Array.isArray(given) ? `${path}[${key}]` : join(path, key);
    if (!Object.hasOwn(known, key)) lost.push(at);
    else collectLost(item, (known as Record<string, unknown>)[key], at, lost);
  }
}
