import { parseInteger } from './integer.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

/** The longest that fits in 31 bits of milliseconds; longer ones count as this. */
const LONGEST = 2_147_483;
const UNITS = new Map([
  ['ms', 0.001],
  ['s', 1],
  ['sec', 1],
  ['m', 60],
  ['min', 60],
  ['h', 3600],
  ['d', 86_400],
]);

/** A time-out: seconds as a plain whole number. 0 is refused, because nginx would time out at once. */
export const SECONDS: ValueKind<number> = {
  name: 'seconds',
  grammar: 'a whole number of seconds, 1 or more, without a unit',
  parse(text) {
    const seconds = parseInteger(text);
    if (seconds === undefined) return invalid('is not a whole number of seconds', withoutUnit(text));
    if (seconds < 1) return invalid('is not a usable time-out: it must be 1 second or more');
    return valid(Math.min(seconds, LONGEST));
  },
};

function withoutUnit(text: string): string | undefined {
  const parts = text.length > 24 ? null : /^\s*([0-9]+)\s*([a-z]*)\s*$/i.exec(text);
  const unit = UNITS.get(parts?.[2] === '' ? 's' : (parts?.[2] ?? '').toLowerCase());
  if (parts === null || unit === undefined) return undefined;
  return `Write "${Math.max(1, Math.ceil(Number(parts[1]) * unit))}": seconds, without a unit.`;
}
