/** A pattern to be tried on a text. */
export interface RegexQuestion {
  readonly pattern: string;
  readonly subject: string;
  readonly ignoreCase: boolean;
  /** Must match where the text begins (paths); otherwise anywhere in it (headers, query parameters). */
  readonly anchored: boolean;
}

export type RegexAnswer =
  /** The whole match first; a group that took no part is ''. Named groups besides, if there are any. */
  | { readonly matched: true; readonly captures: readonly string[]; readonly named?: Readonly<Record<string, string>> }
  | { readonly matched: false; readonly error?: string };

/** Asks the engine that really runs the patterns. */
export type RegexEngine = (question: RegexQuestion) => RegexAnswer | Promise<RegexAnswer>;

/** JavaScript's own regular expressions: near to PCRE, not the same, and without a limit on backtracking. */
export const javascriptRegex: RegexEngine = ({ pattern, subject, ignoreCase, anchored }) => {
  // What PCRE calls (?i) at the start is a flag here.
  const inline = pattern.startsWith('(?i)');
  const flags = `${ignoreCase || inline ? 'i' : ''}${anchored ? 'y' : ''}`;
  let expression: RegExp;
  try {
    expression = new RegExp(inline ? pattern.slice(4) : pattern, flags);
  } catch (error) {
    return { matched: false, error: error instanceof Error ? error.message : String(error) };
  }
  const match = expression.exec(subject);
  if (match === null) return { matched: false };
  const named = Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, value ?? '']));
  return { matched: true, captures: [...match].map((group: string | undefined) => group ?? ''), named };
};
