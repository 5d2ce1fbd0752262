import { isRequestVariable } from '../../../model/request-variable.ts';

/** `${name}`, as the data plane reads it (src/drivers/nginx/dataplane/request-text.ts). */
const VARIABLE = /\$\{([A-Za-z0-9_]+)\}/g;

/** Name of a variable in the text that there isn't; the data plane would refuse the whole host for it. */
export function unknownVariable(text: string): string | undefined {
  return [...text.matchAll(VARIABLE)].map(([, name = '']) => name).find((name) => !isRequestVariable(name));
}
