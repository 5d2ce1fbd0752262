import { UsageError } from './usage-error.ts';

const SECONDS = { ms: 0.001, s: 1, m: 60, h: 3600 } as const;

/** Seconds in `90`, `500ms`, `30s`, `2m`, `1h`. */
export function durationSeconds(text: string): number {
  const [, amount, unit] = /^([0-9]+(?:\.[0-9]+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  if (amount === undefined)
    throw new UsageError(`${JSON.stringify(text)} is not a duration.`, 'Write it like 30s or 2m.');
  return Number(amount) * SECONDS[(unit ?? 's') as keyof typeof SECONDS];
}
