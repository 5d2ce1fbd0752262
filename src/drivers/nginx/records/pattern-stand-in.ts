import type { ConditionRecord, PathRecord } from '../wire.ts';

/**
 * What stands in for a regular expression on the path that does not compile: the literal text that every path it could
 * match begins with. Undefined where there is none longer than `/`: closing that would close the whole host.
 */
export function standInPath(pattern: string): PathRecord | undefined {
  const text = pattern.startsWith('^') ? pattern.slice(1) : pattern;
  const end = text.search(/[\\^$.|?*+()[\]{}]/u);
  const stop = end === -1 ? text.length : end;
  // A quantifier belongs to the character before it; an alternative at the top makes the beginning optional.
  const literal = '?*{'.includes(text[stop] ?? ' ') ? text.slice(0, Math.max(0, stop - 1)) : text.slice(0, stop);
  if (text[stop] === '|' || literal.length < 2) return undefined;
  return { kind: 'text-prefix', value: literal };
}

/** A condition that does not compile is taken to hold wherever the header or parameter is there at all. */
export function standInCondition(condition: ConditionRecord): ConditionRecord {
  return { name: condition.name, kind: 'present' };
}
