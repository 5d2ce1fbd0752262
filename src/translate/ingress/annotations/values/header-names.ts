import { HEADER_NAME } from './text.ts';
import { invalid, valid, type ValueKind } from './value-kind.ts';

const LONGEST = 4096;

/** Names of headers, separated by commas; each once, whatever its case. */
export const HEADER_NAMES: ValueKind<readonly string[]> = {
  name: 'header names',
  grammar: 'names of headers (letters, digits, - and _), separated by commas',
  parse(text) {
    if (text.length > LONGEST) return invalid(`is longer than ${LONGEST} characters`);
    const names = new Map<string, string>();
    for (const part of text.split(',')) {
      if (part.trim() === '') continue;
      const name = HEADER_NAME.parse(part);
      if (!name.ok) return invalid(`is not ${HEADER_NAMES.grammar}`);
      if (!names.has(name.value.toLowerCase())) names.set(name.value.toLowerCase(), name.value);
    }
    return names.size === 0 ? invalid('names no header') : valid([...names.values()]);
  },
};
