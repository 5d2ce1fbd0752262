import { invalid, type Parsed, valid, type ValueKind } from './value-kind.ts';

export interface CacheDuration {
  readonly statuses: readonly number[];
  readonly seconds: number;
}

const LONGEST = 1024;
const UNITS: ReadonlyMap<string, number> = new Map([
  ['', 1],
  ['s', 1],
  ['m', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** As ingress-nginx takes them: statuses and a time, several such separated by commas. */
export const CACHE_DURATIONS: ValueKind<readonly CacheDuration[]> = {
  name: 'cache durations',
  grammar: 'statuses and a time (30s, 5m, 1h), as "200 202 5m"; several of them separated by commas',
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const durations: CacheDuration[] = [];
    for (const part of text.split(',')) {
      const parsed = readDuration(part.trim());
      if (!parsed.ok) return parsed;
      durations.push(parsed.value);
    }
    return valid(durations);
  },
};

function readDuration(text: string): Parsed<CacheDuration> {
  const words = text.split(/\s+/);
  const [, digits, unit = ''] = /^([0-9]{1,9})([smhd]?)$/.exec(words.pop() ?? '') ?? [];
  if (digits === undefined) return invalid(`is not ${CACHE_DURATIONS.grammar}`);
  const statuses = words.map(Number);
  if (statuses.length === 0) return invalid('names no status', 'Write the statuses before the time, as "200 202 5m".');
  if (!statuses.every((status) => Number.isInteger(status) && status >= 100 && status <= 599)) {
    return invalid('names a status that is not between 100 and 599');
  }
  return valid({ statuses, seconds: Number(digits) * (UNITS.get(unit) ?? 1) });
}
