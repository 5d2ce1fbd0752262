import fc from 'fast-check';
import { Disagreement } from './disagreement.ts';

/** Milliseconds that making a counterexample smaller may take. */
const SHRINKING = 150_000;

export interface PropertyRun {
  readonly seed: number;
  /** How many values are tried. */
  readonly runs: number;
}

/**
 * Tries values and rejects with the smallest that was found to fail, and with the seed. A value that fails is tried
 * smaller for a while only, since each try may be the start of a program.
 */
export async function runProperty<T>(
  arbitrary: fc.Arbitrary<T>,
  { seed, runs }: PropertyRun,
  holds: (value: T) => Promise<void>,
): Promise<void> {
  let until = Infinity;
  const limited = async (value: T) => {
    if (Date.now() > until) return;
    try {
      await holds(value);
    } catch (error) {
      until = Math.min(until, Date.now() + SHRINKING);
      throw error;
    }
  };
  const details = await fc.check(fc.asyncProperty(arbitrary, limited), { seed, numRuns: runs });
  if (!details.failed) return;
  const { errorInstance: error, numRuns, numShrinks, counterexamplePath } = details;
  const cause = error instanceof Disagreement ? error.message : String(error instanceof Error ? error.stack : error);
  throw new Error(
    `value ${numRuns} of seed ${seed} fails (REFERENCE_SEED=${seed} tries it again), made smaller ${numShrinks} times (path ${counterexamplePath}): ${cause}`,
    { cause: error },
  );
}
