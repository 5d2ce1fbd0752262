/** A regular expression that the data plane will run, and so must be able to compile. */
export interface Pattern {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

export function patternKey(pattern: Pattern): string {
  return `${pattern.ignoreCase ? 'i' : 's'}:${pattern.pattern}`;
}
