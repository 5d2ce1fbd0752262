/**
 * A regular expression as JavaScript has to be given it to read it as PCRE does: there a dot leaves out the line feed
 * alone, and `$` stands before a line feed at the end as well.
 */
export function asPcreReads(source: string): string {
  return source.replace(/\\.|\[(?:\\.|[^\]\\])*\]|[.$]/gs, (part) => {
    if (part === '.') return '[^\\n]';
    return part === '$' ? '(?=\\n?(?![^]))' : part;
  });
}
