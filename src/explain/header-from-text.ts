import { CodedError } from '../lib/coded-error.ts';

/** `X-Canary: always` → name and value. Throws a CodedError (`header-unreadable`) where there is no name. */
export function headerFromText(text: string): readonly [name: string, value: string] {
  const [, name, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:(.*)$/s.exec(text.trim()) ?? [];
  if (name === undefined || value === undefined) {
    throw new CodedError('header-unreadable', `${JSON.stringify(text)} is not a header`, {
      remedy: 'Write it as NAME:VALUE.',
    });
  }
  return [name, value.trim()];
}
