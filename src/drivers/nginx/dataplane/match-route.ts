import { headersHold, queryHolds } from './condition';
import type { PathIndex } from './path-index';
import { matchesPath } from './regex';
import type { Route } from './route';

const SLASH = 47;

function conditionsHold(route: Route): boolean {
  return (
    (route.method === undefined || route.method === ngx.req.get_method()) &&
    (route.headers === undefined || headersHold(route.headers)) &&
    (route.query === undefined || queryHolds(route.query))
  );
}

/** The first of these routes that stands before `best` and whose conditions hold; else `best`. */
function better(candidates: readonly Route[], best: Route | undefined): Route | undefined {
  for (const candidate of candidates) {
    if (best !== undefined && candidate.order > best.order) {
      return best;
    }
    if (!candidate.conditional || conditionsHold(candidate)) {
      return candidate;
    }
  }
  return best;
}

function byElements(index: PathIndex, path: string, before: Route | undefined): Route | undefined {
  let best = before;
  let length = path.length;
  if (string.byte(path, length) === SLASH) {
    length -= 1;
  }
  while (true) {
    const candidates = index.elements.get(string.sub(path, 1, length));
    if (candidates !== undefined) {
      const found = better(candidates, best);
      if (found !== best) {
        best = found;
        if (index.elementsSorted) {
          return best;
        }
      }
    }
    if (length <= 0) {
      return best;
    }
    while (length > 0 && string.byte(path, length) !== SLASH) {
      length -= 1;
    }
    length -= 1;
  }
}

function byTexts(index: PathIndex, path: string, before: Route | undefined): Route | undefined {
  let best = before;
  for (const length of index.textLengths) {
    if (length <= path.length) {
      const candidates = index.texts.get(string.sub(path, 1, length));
      if (candidates !== undefined) {
        const found = better(candidates, best);
        if (found !== best) {
          best = found;
          if (index.textsSorted) {
            return best;
          }
        }
      }
    }
  }
  return best;
}

function byRegexes(index: PathIndex, path: string, before: Route | undefined): Route | undefined {
  for (const route of index.regexes) {
    if (before !== undefined && route.order > before.order) {
      return before;
    }
    if (matchesPath(path, route.path.value, route.patternOptions) && (!route.conditional || conditionsHold(route))) {
      return route;
    }
  }
  return before;
}

/** The route of a request: of all that match, the one that stands first in its host's list. `path` is decoded. */
export function matchRoute(index: PathIndex, path: string): Route | undefined {
  if (index.only !== undefined) {
    return index.only;
  }
  let best: Route | undefined;
  const exact = index.exact.get(path);
  if (exact !== undefined) {
    best = better(exact, undefined);
  }
  if (index.firstElement < (best === undefined ? math.huge : best.order)) {
    best = byElements(index, path, best);
  }
  if (index.firstText < (best === undefined ? math.huge : best.order)) {
    best = byTexts(index, path, best);
  }
  return byRegexes(index, path, best);
}
