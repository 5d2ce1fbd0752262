import { CATALOGUE } from '../diagnostics/catalogue.ts';

/** Of every Normal Event that says that an Ingress is served. */
export const PROGRAMMED = 'Programmed';

/** `ServiceNotFound` for WEIR0103: the title of the catalogue's entry in CamelCase, as an Event's reason is written. */
export function eventReason(code: string): string {
  const title = CATALOGUE.find((entry) => entry.code === code)?.title ?? 'Finding';
  // What stands after a colon explains the title.
  const words = title.replace(/:.*$/, '').match(/[A-Za-z0-9]+/g) ?? [];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}
