import { pcreProblem } from '../../../../lib/pcre.ts';
import { hasControlCharacter } from './text.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

const LONGEST = 2048;
/** What ingress-nginx lets into a regular expression. */
const CHARACTERS = /^[A-Za-z0-9\-._~/:^$[\](){}*+?|&=\\]*$/;
/** A PCRE. Checked as far as is possible without the engine that will run it; the length is bounded first. */
export const PATTERN: ValueKind<string> = {
  name: 'regular expression',
  grammar: 'a regular expression (PCRE)',
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const pattern = text.trim();
    if (hasControlCharacter(pattern)) return invalid('holds a line break or another control character');
    if (!CHARACTERS.test(pattern)) return invalid('holds characters that are not allowed in this regular expression');
    const problem = pcreProblem(pattern);
    return problem === undefined ? valid(pattern) : invalid(`is not a regular expression: ${problem}`);
  },
};
