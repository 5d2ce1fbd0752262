import { editDistance } from '../../../../lib/edit-distance.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

/** One of a few words; spaces around it are ignored, case only where `ignoreCase` says so. The value is as listed. */
export function choice<const Word extends string>(
  words: readonly Word[],
  options: { readonly ignoreCase?: boolean } = {},
): ValueKind<Word> {
  const fold = (text: string) => (options.ignoreCase === true ? text.toLowerCase() : text);
  const byText = new Map(words.map((word) => [fold(word), word]));
  const list = words.map((word) => `"${word}"`).join(', ');
  return {
    name: 'choice',
    grammar: `${words.length > 1 ? 'one of ' : ''}${list}${options.ignoreCase === true ? ' (in any case)' : ''}`,
    parse(text) {
      const trimmed = text.length > 1024 ? text : text.trim();
      const word = byText.get(fold(trimmed));
      if (word !== undefined) return valid(word);
      const near = words.find((candidate) => editDistance(trimmed.toLowerCase(), candidate.toLowerCase(), 2) <= 2);
      return invalid(
        `is not ${words.length > 1 ? 'one of ' : ''}${list}`,
        near === undefined ? undefined : `Write "${near}".`,
      );
    },
  };
}
