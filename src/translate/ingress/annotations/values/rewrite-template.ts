import { hasControlCharacter } from './text.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

const LONGEST = 2048;
/** What ingress-nginx allows, with `$` only before one digit from 1 to 9: nginx reads `$10` as `$1` and a 0. */
const TEMPLATE = /^(?:[A-Za-z0-9\-._~/:]|\$[1-9])*$/;

/** A path with the captures `$1`…`$9` of the route's regular expression, or a whole URL, which makes a redirect. */
export const REWRITE_TEMPLATE: ValueKind<string> = {
  name: 'rewrite template',
  grammar: 'a path, with $1 to $9 for what the path’s groups captured, or an http(s):// URL',
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const template = text.trim();
    if (hasControlCharacter(template)) return invalid('holds a line break or another control character');
    if (!TEMPLATE.test(template)) {
      return template.replace(/\$[1-9]/g, '').includes('$')
        ? invalid('holds a variable of nginx; only the captures $1 to $9 can stand here')
        : invalid('holds characters that can’t stand in a rewritten path');
    }
    if (!/^(\/|\$|https?:\/\/[^/])/.test(template))
      return invalid('does not start with /, with a capture or with http(s)://');
    return valid(template);
  },
};
