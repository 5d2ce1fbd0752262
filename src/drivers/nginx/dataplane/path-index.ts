import type { Route } from './route';

/** A host's routes, found without looking at each. The route that stands first in the host's list wins. */
export interface PathIndex {
  readonly exact: LuaTable<string, Route[]>;
  /** Prefixes by path element, without a slash at the end; `` is every path. */
  readonly elements: LuaTable<string, Route[]>;
  readonly texts: LuaTable<string, Route[]>;
  /** Distinct lengths of the text prefixes, longest first. */
  readonly textLengths: readonly number[];
  readonly regexes: readonly Route[];
  /** Place of the first route of each class; past the end where there is none. */
  readonly firstElement: number;
  readonly firstText: number;
  /** No longer prefix stands behind a shorter one, so the first hit is the best. */
  readonly elementsSorted: boolean;
  readonly textsSorted: boolean;
}

const NONE = math.huge;

function append(table: LuaTable<string, Route[]>, key: string, route: Route): void {
  const list = table.get(key);
  if (list === undefined) {
    table.set(key, [route]);
  } else {
    list.push(route);
  }
}

export function buildPathIndex(routes: readonly Route[]): PathIndex {
  const exact = new LuaTable<string, Route[]>();
  const elements = new LuaTable<string, Route[]>();
  const texts = new LuaTable<string, Route[]>();
  const textLengths: number[] = [];
  const lengthSeen = new LuaTable<number, boolean>();
  const regexes: Route[] = [];
  let firstElement = NONE;
  let firstText = NONE;
  let elementsSorted = true;
  let textsSorted = true;
  let lastElementLength = NONE;
  let lastTextLength = NONE;
  for (const route of routes) {
    const { kind, value } = route.path;
    if (kind === 'exact') {
      append(exact, value, route);
    } else if (kind === 'regex') {
      regexes.push(route);
    } else if (kind === 'prefix') {
      const key = string.sub(value, 1, route.prefixLength);
      append(elements, key, route);
      firstElement = math.min(firstElement, route.order);
      elementsSorted = elementsSorted && key.length <= lastElementLength;
      lastElementLength = key.length;
    } else if (kind === 'text-prefix') {
      append(texts, value, route);
      firstText = math.min(firstText, route.order);
      textsSorted = textsSorted && value.length <= lastTextLength;
      lastTextLength = value.length;
      if (!lengthSeen.has(value.length)) {
        lengthSeen.set(value.length, true);
        textLengths.push(value.length);
      }
    } else {
      error('a path match is of unknown kind', 0);
    }
  }
  table.sort(textLengths, (a, b) => a > b);
  return { exact, elements, texts, textLengths, regexes, firstElement, firstText, elementsSorted, textsSorted };
}
