import { editDistance } from '../../../../lib/edit-distance.ts';
import { shown } from '../shown.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

const WORDS = [
  'error',
  'timeout',
  'invalid_header',
  'non_idempotent',
  'off',
  'http_500',
  'http_502',
  'http_503',
  'http_504',
  'http_403',
  'http_404',
  'http_429',
] as const;
export type RetryWord = (typeof WORDS)[number];

const BY_TEXT: ReadonlyMap<string, RetryWord> = new Map(WORDS.map((word) => [word, word]));
const LONGEST = 1024;

/** Words of nginx' proxy_next_upstream, separated by spaces. */
export const RETRY_CONDITIONS: ValueKind<readonly RetryWord[]> = {
  name: 'list of conditions',
  grammar: `words separated by spaces, of ${WORDS.join(', ')}`,
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const words = new Set<RetryWord>();
    for (const part of text.trim().split(/\s+/)) {
      const word = BY_TEXT.get(part);
      if (word === undefined) {
        const near = WORDS.find((candidate) => editDistance(part, candidate, 2) <= 2);
        return invalid(
          `holds ${shown(part)}, which is not a condition`,
          near === undefined ? undefined : `Write "${near}" instead of ${shown(part)}.`,
        );
      }
      words.add(word);
    }
    return valid([...words]);
  },
};
