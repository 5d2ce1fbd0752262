/**
 * Checks an object against the schema of the fields that weir reads. What weir doesn't read isn't looked at: that is
 * the API server's business.
 */
import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { fieldPath } from './field-path.ts';

export interface FieldProblem {
  readonly field: string;
  /** "is a number (5), must be a string" */
  readonly problem: string;
}

/** The body (without its nulls where it has any: an API server takes null for absent), or what is wrong with it. */
export type ShapeCheck = (body: unknown) => { readonly body: unknown } | { readonly problems: readonly FieldProblem[] };

/** `showValues`: whether problems may quote the value; not for Secrets. */
export function compileShape(schema: TSchema, showValues: boolean): ShapeCheck {
  const validator = Compile(schema);
  return (body) => {
    if (validator.Check(body)) return { body };
    const pruned = withoutNulls(body);
    if (validator.Check(pruned)) return { body: pruned };
    const problems = new Map<string, FieldProblem>();
    for (const error of validator.Errors(pruned)) {
      for (const [pointer, problem] of describe(error as ShapeError, pruned, showValues)) {
        const field = fieldPath(pointer);
        if (!problems.has(field)) problems.set(field, { field, problem });
      }
    }
    return { problems: [...problems.values()] };
  };
}

interface ShapeError {
  readonly keyword: string;
  readonly schemaPath: string;
  readonly instancePath: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly message: string;
}

function describe(error: ShapeError, body: unknown, showValues: boolean): [pointer: string, problem: string][] {
  const { keyword, instancePath, params } = error;
  if (keyword === 'required') {
    const missing = params['requiredProperties'];
    const names = Array.isArray(missing) ? missing.map(String) : [];
    return names.map((name) => [`${instancePath}/${name}`, 'is missing']);
  }
  const found = describeValue(valueAt(body, instancePath), showValues);
  if (keyword === 'type' && !error.schemaPath.includes('/anyOf/')) {
    return [[instancePath, `is ${found}, must be ${article(String(params['type']))}`]];
  }
  if (keyword === 'type') return [[instancePath, `is ${found}, must be a number or a string`]];
  return [[instancePath, `is ${found}, ${error.message}`]];
}

function article(type: string): string {
  if (type === 'array') return 'a list';
  if (type === 'object') return 'an object';
  return type === 'integer' ? 'a whole number' : `a ${type}`;
}

function describeValue(value: unknown, showValues: boolean): string {
  if (Array.isArray(value)) return 'a list';
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  if (typeof value === 'object') return 'an object';
  return showValues ? `a ${typeof value} (${JSON.stringify(value)?.slice(0, 80)})` : `a ${typeof value}`;
}

function valueAt(body: unknown, pointer: string): unknown {
  let value = body;
  for (const raw of pointer.split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[raw.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return value;
}

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [key, withoutNulls(item)]));
}
