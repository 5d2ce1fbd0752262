import { invalid, valid, type ValueKind } from './value-kind.ts';

export interface TextGrammar {
  readonly name: string;
  readonly grammar: string;
  /** Anchored at both ends, without nested repetition: it meets hostile text. */
  readonly pattern: RegExp;
  /** Characters. */
  readonly longest: number;
}

/** Text of limited characters and length, trimmed. None of these kinds may hold a variable of nginx. */
export function text(rules: TextGrammar): ValueKind<string> {
  return {
    name: rules.name,
    grammar: rules.grammar,
    parse(written) {
      if (written.length > rules.longest + 1024) return invalid(`is longer than ${rules.longest} characters`);
      const trimmed = written.trim();
      if (trimmed.length > rules.longest) return invalid(`is longer than ${rules.longest} characters`);
      return rules.pattern.test(trimmed) ? valid(trimmed) : invalid(textProblem(trimmed, rules));
    },
  };
}

/** Says what people most often need to hear: that variables aren't expanded here, or that a line break got in. */
export function textProblem(written: string, rules: Pick<TextGrammar, 'grammar'>): string {
  if (hasControlCharacter(written)) return 'holds a line break or another control character';
  if (written.includes('$')) return 'holds a variable of nginx ($…), which is not expanded here';
  return `is not ${rules.grammar}`;
}

export function hasControlCharacter(written: string): boolean {
  for (let index = 0; index < written.length; index += 1) {
    const code = written.charCodeAt(index);
    if (code < 32 || code === 127) return true;
  }
  return false;
}

export const HEADER_NAME = text({
  name: 'header name',
  grammar: 'the name of a header: letters, digits, - and _',
  pattern: /^[A-Za-z0-9_-]+$/,
  longest: 256,
});

export const COOKIE_NAME = text({
  name: 'cookie name',
  grammar: 'the name of a cookie: letters, digits, -, _, . and ~',
  pattern: /^[A-Za-z0-9._~-]+$/,
  longest: 256,
});
