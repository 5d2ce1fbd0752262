/** Constructs that PCRE has and JavaScript has not, or writes in another way: its compiler has no say about them. */
const ONLY_PCRE = /\(\?[a-zA-Z^-]+[):]|\(\?[P#>|&0-9R+'-]|[*+?}]\+|\\[AZzGQEKRXhHNCCpP]|\[\[[:.=]|\(\*/;

/**
 * What is surely wrong with a PCRE, without the engine that will run it. Undefined doesn't promise that the engine
 * takes it: where the expression uses what only PCRE has, just its brackets are counted.
 */
export function pcreProblem(pattern: string): string | undefined {
  try {
    RegExp(pattern);
    return undefined;
  } catch (error) {
    if (ONLY_PCRE.test(pattern)) return bracketProblem(pattern);
    return error instanceof Error ? error.message.replace(/^.*: /, '').toLowerCase() : 'it does not compile';
  }
}

/** How many groups of an expression capture; undefined where only the engine that will run it can tell. */
export function captureCount(pattern: string): number | undefined {
  if (ONLY_PCRE.test(pattern)) return undefined;
  try {
    // With an empty alternative it matches the empty text, and the match has a place for each group.
    return RegExp(`${pattern}|`).exec('')!.length - 1;
  } catch {
    return undefined;
  }
}

function bracketProblem(pattern: string): string | undefined {
  let open = 0;
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i];
    if (character === '\\') {
      if (i === pattern.length - 1) return 'backslash at the end';
      i++;
    } else if (character === '[') {
      i = endOfClass(pattern, i);
      if (i < 0) return 'unterminated character class';
    } else if (character === '(') open++;
    else if (character === ')' && --open < 0) return 'unmatched )';
  }
  return open > 0 ? 'unterminated group' : undefined;
}

/** Index of the `]`; -1 if there is none. One that comes first is a member of the class. */
function endOfClass(pattern: string, start: number): number {
  let i = start + 1;
  if (pattern[i] === '^') i++;
  if (pattern[i] === ']') i++;
  for (; i < pattern.length; i++) {
    if (pattern[i] === '\\') i++;
    else if (pattern[i] === '[' && pattern[i + 1] === ':') {
      const end = pattern.indexOf(':]', i);
      if (end > 0) i = end + 1;
    } else if (pattern[i] === ']') return i;
  }
  return -1;
}
