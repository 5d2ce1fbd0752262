import type { HashPart } from '../../../../model/backend.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

const LONGEST = 1024;
const TOKEN = /\$\{([A-Za-z0-9_]+)\}|\$([A-Za-z0-9_]+)|([A-Za-z0-9_-]+)/y;

/** An expression in nginx' variables: `$request_uri`, `${arg_user}-v2`. Those that the model can say are taken, others refused. */
export const HASH_KEY: ValueKind<HashPart[]> = {
  name: 'hash key',
  grammar:
    'text and the variables $request_uri, $uri, $host, $remote_addr, $http_NAME, $cookie_NAME and $arg_NAME (also as ${…})',
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const expression = text.replaceAll(' ', '');
    const parts: HashPart[] = [];
    TOKEN.lastIndex = 0;
    while (TOKEN.lastIndex < expression.length) {
      const start = TOKEN.lastIndex;
      const token = TOKEN.exec(expression);
      if (token === null) return invalid(`can’t be read as a hash key from character ${start + 1} on`);
      const variable = token[1] ?? token[2];
      const part = variable === undefined ? textPart(token[3]!) : variablePart(variable);
      if (part === undefined) return invalid(`holds $${variable}, a variable that can’t be hashed by`);
      parts.push(part);
    }
    return valid(parts);
  },
};

function textPart(value: string): HashPart {
  return { kind: 'text', value };
}

function variablePart(variable: string): HashPart | undefined {
  switch (variable) {
    case 'request_uri':
      return { kind: 'uri' };
    case 'uri':
    case 'document_uri':
      return { kind: 'path' };
    case 'host':
      return { kind: 'host' };
    case 'remote_addr':
    case 'binary_remote_addr':
    // ingress-nginx' own name for the client's address.
    case 'the_real_ip':
      return { kind: 'client-address' };
  }
  const named = /^(http|cookie|arg)_(.+)$/.exec(variable);
  if (named === null) return undefined;
  const name = named[2]!;
  if (named[1] === 'http') return { kind: 'header', name: name.replaceAll('_', '-').toLowerCase() };
  return named[1] === 'cookie' ? { kind: 'cookie', name } : { kind: 'query', name };
}
