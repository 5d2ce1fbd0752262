import type { ConditionRecord } from '../wire';
import { joined, requestHeaders } from './header-text';
import { queryValue } from './query';
import { found, requireSearchPattern } from './regex';

export interface Condition {
  readonly name: string;
  readonly kind: ConditionRecord['kind'];
  readonly value: string;
}

function compileCondition(record: ConditionRecord, lowerCase: boolean): Condition {
  const { kind } = record;
  if (kind !== 'exact' && kind !== 'regex' && kind !== 'present') {
    error('a condition is of unknown kind', 0);
  }
  const value = record.value ?? '';
  if (kind === 'regex') {
    requireSearchPattern(value);
  }
  return { name: lowerCase ? string.lower(record.name) : record.name, kind, value };
}

/** Undefined where there are none, so that a request pays nothing for them. */
export function compileConditions(
  records: readonly ConditionRecord[] | undefined,
  lowerCase: boolean,
): readonly Condition[] | undefined {
  if (records === undefined || records.length === 0) {
    return undefined;
  }
  const conditions: Condition[] = [];
  for (const record of records) {
    conditions.push(compileCondition(record, lowerCase));
  }
  return conditions;
}

function holds(condition: Condition, value: string | undefined): boolean {
  if (value === undefined) {
    return false;
  }
  const { kind } = condition;
  if (kind === 'exact') {
    return value === condition.value;
  }
  return kind === 'present' || found(value, condition.value);
}

export function headersHold(conditions: readonly Condition[]): boolean {
  const headers = requestHeaders();
  for (const condition of conditions) {
    const value = headers.get(condition.name);
    if (!holds(condition, value === undefined ? undefined : joined(value))) {
      return false;
    }
  }
  return true;
}

export function queryHolds(conditions: readonly Condition[]): boolean {
  for (const condition of conditions) {
    if (!holds(condition, queryValue(condition.name))) {
      return false;
    }
  }
  return true;
}
