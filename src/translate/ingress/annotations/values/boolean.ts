import { invalid, valid, type ValueKind } from './value-kind.ts';

const TRUE = new Set(['1', 't', 'T', 'TRUE', 'true', 'True']);
const FALSE = new Set(['0', 'f', 'F', 'FALSE', 'false', 'False']);

/** The spellings that Go's strconv.ParseBool takes, and no others: `yes`, `on` and `tRUE` are not booleans. */
export const BOOLEAN: ValueKind<boolean> = {
  name: 'boolean',
  grammar: '"true" or "false" (also 1, t, T, TRUE, True and 0, f, F, FALSE, False)',
  parse(text) {
    if (TRUE.has(text)) return valid(true);
    if (FALSE.has(text)) return valid(false);
    const wish = /^\s*(true|yes|on|enabled?)\s*$/i.test(text) ? 'true' : undefined;
    const refusal = /^\s*(false|no|off|disabled?|none)\s*$/i.test(text) ? 'false' : undefined;
    const meant = text.length > 32 ? undefined : (wish ?? refusal);
    return invalid('is not a boolean', meant === undefined ? undefined : `Write "${meant}".`);
  },
};
