import type { Route } from './route';

/** A host's routes, found without looking at each. The route that stands first in the host's list wins. */
export interface PathIndex {
  /** The only route, where it takes every request: most hosts have no other. */
  readonly only: Route | undefined;
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
/** What an index has nothing in; never written. */
const NO_ROUTES: LuaTable<string, Route[]> = new LuaTable();
const NO_LENGTHS: readonly number[] = [];
const NO_REGEXES: readonly Route[] = [];

function takesEverything(route: Route): boolean {
  const { kind, value } = route.path;
  return !route.conditional && value === '/' && (kind === 'prefix' || kind === 'text-prefix');
}

function append(table: LuaTable<string, Route[]>, key: string, route: Route): void {
  const list = table.get(key);
  if (list === undefined) {
    table.set(key, [route]);
  } else {
    list.push(route);
  }
}

export function buildPathIndex(routes: readonly Route[]): PathIndex {
  if (routes.length === 1 && takesEverything(routes[0]!)) {
    return {
      only: routes[0],
      exact: NO_ROUTES,
      elements: NO_ROUTES,
      texts: NO_ROUTES,
      textLengths: NO_LENGTHS,
      regexes: NO_REGEXES,
      firstElement: NONE,
      firstText: NONE,
      elementsSorted: true,
      textsSorted: true,
    };
  }
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
  return {
    only: undefined,
    exact,
    elements,
    texts,
    textLengths,
    regexes,
    firstElement,
    firstText,
    elementsSorted,
    textsSorted,
  };
}
