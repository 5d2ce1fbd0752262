/**
 * What is plainly wrong with a PCRE pattern, where no PCRE is at hand; undefined: nothing that shows. JavaScript's syntax
 * differs in much, so only its complaints about parentheses and brackets that don't balance count.
 */
export function approximatePatternError(pattern: string): string | undefined {
  try {
    RegExp(pattern);
    return undefined;
  } catch (error) {
    const why = error instanceof Error ? error.message : '';
    const plain = /Unterminated group|Unmatched '\)'|Unterminated character class|\\ at end of pattern/u.exec(why);
    return plain?.[0];
  }
}
