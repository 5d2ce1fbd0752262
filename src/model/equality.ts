import { Redacted } from '../lib/redacted.ts';

/** Whether two parts say the same. Secrets are compared by value; a field that is undefined equals one that is absent. */
export function equalParts(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (a instanceof Redacted || b instanceof Redacted) {
    return a instanceof Redacted && b instanceof Redacted && a.equals(b);
  }
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalParts(item, b[index]));
  }
  return equalFields(a as Fields, b as Fields);
}

type Fields = Readonly<Record<string, unknown>>;

function equalFields(a: Fields, b: Fields): boolean {
  for (const key of Object.keys(a)) if (!equalParts(a[key], b[key])) return false;
  for (const key of Object.keys(b)) if (b[key] !== undefined && !Object.hasOwn(a, key)) return false;
  return true;
}
