import { textProblem } from './text.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

const LONGEST = 4096;
const CHARACTERS = /^[A-Za-z0-9\-._~/:?&=%#+,@!()*;[\]]*$/;

/** An http or https URL without variables. The value is as written, so that nothing in it is changed on the way. */
export const ABSOLUTE_URL: ValueKind<string> = {
  name: 'URL',
  grammar: 'an http:// or https:// URL without variables',
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const url = text.trim();
    if (!CHARACTERS.test(url)) return invalid(textProblem(url, ABSOLUTE_URL));
    if (!/^https?:\/\/[^/?#]/i.test(url) || !URL.canParse(url)) return invalid('is not an http:// or https:// URL');
    return valid(url);
  },
};
