import { invalid, valid, type ValueKind } from './value-kind.ts';

/** Digits with an optional sign, as Go's strconv.Atoi takes them: no spaces, no unit, no decimals. */
export function parseInteger(text: string): number | undefined {
  if (text.length > 24 || !/^[+-]?[0-9]+$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number + 0 : undefined;
}

/** A whole number within bounds; `what` names it: "weight". */
export function integer(what: string, minimum: number, maximum: number = Number.MAX_SAFE_INTEGER): ValueKind<number> {
  const bounds = maximum === Number.MAX_SAFE_INTEGER ? `of ${minimum} or more` : `from ${minimum} to ${maximum}`;
  return {
    name: 'integer',
    grammar: minimum === Number.MIN_SAFE_INTEGER ? 'a whole number' : `a whole number ${bounds}`,
    parse(text) {
      const number = parseInteger(text);
      if (number === undefined) return invalid(`is not a whole number (${what})`);
      if (number < minimum || number > maximum)
        return invalid(`is outside of what ${what} may be: a whole number ${bounds}`);
      return valid(number);
    },
  };
}
