import { closableBeginning } from '../../../lib/literal-beginning.ts';
import { MAX_PATH_BYTES, type ConditionRecord, type PathRecord } from '../wire.ts';

/**
 * What stands in for a regular expression on the path that does not compile: the literal text that every path it could
 * match begins with. Undefined where there is none longer than `/`: closing that would close the whole host; or where
 * no request could begin so.
 */
export function standInPath(pattern: string, ignoreCase: boolean): PathRecord | undefined {
  const value = closableBeginning(pattern);
  if (value === undefined || Buffer.byteLength(value) > MAX_PATH_BYTES) return undefined;
  // It holds no special character, so as an expression it is itself.
  return ignoreCase ? { kind: 'regex', value, ignoreCase } : { kind: 'text-prefix', value };
}

/** A condition that does not compile is taken to hold wherever the header or parameter is there at all. */
export function standInCondition(condition: ConditionRecord): ConditionRecord {
  return { name: condition.name, kind: 'present' };
}
