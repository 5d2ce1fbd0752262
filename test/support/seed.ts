import { randomInt } from 'node:crypto';

/** So that a run that takes in a change fails for that change only; long runs look for more. */
const FIXED = 20_261_130;

/** For random tests: the number in this environment variable, a new one for `random`, and without it always the same. */
export function seedOf(variable: string): number {
  const wanted = process.env[variable];
  if (wanted === undefined) return FIXED;
  return wanted === 'random' ? randomInt(2 ** 31) : Number(wanted);
}
