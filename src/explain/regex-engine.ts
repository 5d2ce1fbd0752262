import { createContext, Script } from 'node:vm';

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
  | {
      readonly matched: false;
      readonly error?: string;
      /** The error is that of an engine which is only near to the one that really runs the patterns. */
      readonly approximate?: true;
      /** It was given up before there was an answer; nginx, too, treats what exceeds its limit as no match. */
      readonly tookTooLong?: true;
    };

/** Asks the engine that really runs the patterns. */
export type RegexEngine = (question: RegexQuestion) => RegexAnswer | Promise<RegexAnswer>;

/** Patterns that may be stopped at the full limit, and the limit after that. */
const PATIENCE = 8;
const IMPATIENT_MS = 10;

/**
 * JavaScript's own regular expressions: near to PCRE, not the same. A pattern that backtracks without end is stopped
 * after `limitMs`; where that happens again and again within one explanation, the further ones get less time.
 */
export function javascriptRegex(limitMs = 250): RegexEngine {
  // A realm of its own, because only a script can be stopped by V8; it is given texts and gives back texts.
  const realm = createContext({ pattern: '', flags: '', subject: '' });
  const script = new Script(MATCH);
  let stopped = 0;
  return ({ pattern, subject, ignoreCase, anchored }) => {
    // What PCRE calls (?i) at the start is a flag here.
    const inline = pattern.startsWith('(?i)');
    realm.pattern = inline ? pattern.slice(4) : pattern;
    realm.flags = `${ignoreCase || inline ? 'i' : ''}${anchored ? 'y' : ''}`;
    realm.subject = subject;
    const timeout = stopped < PATIENCE ? limitMs : Math.min(limitMs, IMPATIENT_MS);
    try {
      return JSON.parse(script.runInContext(realm, { timeout }) as string) as RegexAnswer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      stopped += 1;
      return { matched: false, tookTooLong: true };
    }
  };
}

const MATCH = `(() => {
  let expression;
  try {
    expression = new RegExp(pattern, flags);
  } catch (error) {
    return JSON.stringify({ matched: false, error: error.message, approximate: true });
  }
  const match = expression.exec(subject);
  if (match === null) return JSON.stringify({ matched: false });
  const named = Object.fromEntries(Object.entries(match.groups ?? {}).map(([name, value]) => [name, value ?? '']));
  return JSON.stringify({ matched: true, captures: [...match].map((group) => group ?? ''), named });
})()`;
