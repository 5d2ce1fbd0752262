import { readFileSync } from 'node:fs';

/** The version of this program, from package.json. */
export function weirVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
