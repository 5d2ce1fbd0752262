/** The literal text that every path which a regular expression could match begins with, read without compiling it; may be ''. */
export function literalBeginning(pattern: string): string {
  const text = pattern.startsWith('^') ? pattern.slice(1) : pattern;
  const end = text.search(/[\\^$.|?*+()[\]{}]/u);
  const stop = end === -1 ? text.length : end;
  // An alternative at the top makes the beginning optional; a quantifier belongs to the character before it.
  if (text[stop] === '|') return '';
  return '?*{'.includes(text[stop] ?? ' ') ? text.slice(0, Math.max(0, stop - 1)) : text.slice(0, stop);
}

/** What can be closed in place of an expression that does not compile. Undefined where that would be the whole host. */
export function closableBeginning(pattern: string): string | undefined {
  const beginning = literalBeginning(pattern);
  return beginning.length < 2 ? undefined : beginning;
}
