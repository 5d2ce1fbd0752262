import { isRequestVariable, REQUEST_VARIABLES } from '../../../../model/request-variable.ts';
import { hasControlCharacter } from './text.ts';
import { invalid, type Parsed, valid, type ValueKind } from './value-kind.ts';

/** Names of nginx and ingress-nginx for what the model calls otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['pass_access_scheme', 'scheme'],
  ['best_http_host', 'http_host'],
  ['the_real_ip', 'remote_addr'],
  ['req_id', 'request_id'],
  ['query_string', 'args'],
  ['document_uri', 'uri'],
]);
const VARIABLE = /\$(?:\{([A-Za-z0-9_]*)\}|([A-Za-z0-9_]+))/g;

/** Text with variables as nginx writes them, `$name` or `${name}`, in the model's form. */
export function readTemplate(text: string): Parsed<string> {
  if (hasControlCharacter(text)) return invalid('holds a line break or another control character');
  let unknown: string | undefined;
  const value = text.replaceAll(VARIABLE, (_, braced?: string, bare?: string) => {
    const written = braced ?? bare ?? '';
    const name = ALIASES.get(written) ?? written;
    if (!isRequestVariable(name)) unknown ??= written;
    return `\${${name}}`;
  });
  if (unknown === undefined) return valid(value);
  const known = [...REQUEST_VARIABLES, 'http_NAME', 'cookie_NAME', 'arg_NAME'].map((name) => `$${name}`).join(', ');
  return invalid(`uses the variable $${unknown}, which is not known here`, `Use only ${known}.`);
}

/** What may stand between variables. */
const CHARACTERS = /^[A-Za-z0-9\-._~/:?&=%+,@#!()*|[\] ]*$/;

/** Text with variables of the request. The value is in the model's form. */
export function template(longest: number): ValueKind<string> {
  return {
    name: 'text with variables',
    grammar: 'text of the characters of a URL that may hold variables of the request, as $host or $http_x_token',
    parse(text) {
      if (text.length > longest) return invalid(`is longer than ${longest} characters`);
      const parsed = readTemplate(text.trim());
      if (!parsed.ok) return parsed;
      const rest = parsed.value.replaceAll(VARIABLE, '');
      return CHARACTERS.test(rest) ? parsed : invalid('holds a character that no URL has');
    },
  };
}
