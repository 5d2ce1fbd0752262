/** A user's text with `$1` to `$9`, `${1}` and `${name}` in it: captures of the route's path pattern. All else is text. */
export interface Template {
  /** Text and captures in turn, beginning with text. */
  readonly texts: readonly string[];
  readonly groups: readonly (string | number)[];
}

/** Undefined where the text has no captures and can be used as it stands. */
export function compileTemplate(text: string): Template | undefined {
  const texts: string[] = [];
  const groups: (string | number)[] = [];
  let pending = '';
  let position = 1;
  while (position <= text.length) {
    const [dollar] = string.find(text, '$', position, true);
    if (dollar === undefined) {
      break;
    }
    pending = pending + string.sub(text, position, dollar - 1);
    const [digit] = string.match(text, '^%$(%d)', dollar);
    const [name] = string.match(text, '^%$%{([%w_]+)%}', dollar);
    if (digit !== undefined) {
      texts.push(pending);
      pending = '';
      groups.push(tonumber(digit)!);
      position = dollar + 2;
    } else if (name !== undefined) {
      texts.push(pending);
      pending = '';
      groups.push(tonumber(name) ?? name);
      position = dollar + name.length + 3;
    } else {
      pending = pending + '$';
      position = dollar + 1;
    }
  }
  if (groups.length === 0) {
    return undefined;
  }
  texts.push(pending + string.sub(text, position));
  return { texts, groups };
}

/** A group that took no part in the match is empty, as in nginx. */
export function fill(
  template: Template,
  captures: RegexCaptures | undefined,
  escape: (this: void, text: string) => string,
): string {
  const { texts, groups } = template;
  let result = texts[0]!;
  for (const index of $range(1, groups.length)) {
    const value = captures === undefined ? undefined : captures[groups[index - 1]! as number];
    if (value !== undefined && value !== false) {
      result = result + escape(value);
    }
    result = result + texts[index]!;
  }
  return result;
}
