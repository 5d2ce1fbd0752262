import type { CanaryRecord, RouteRecord } from '../wire';
import { sessionEndpoint, type Backend } from './backend';
import { findBackend } from './backend-cache';
import { cookieValue } from './cookie';
import { headerText } from './header-text';
import { found, requireSearchPattern } from './regex';

/** Who gets a route's requests. */
export interface Split {
  /** The only backend, where there is no choice. */
  readonly single: string | undefined;
  readonly ids: readonly string[];
  /** Sums of the weights up to each id. */
  readonly bounds: readonly number[];
  readonly total: number;
  readonly canaries: readonly CanaryRecord[] | undefined;
}

export interface Choice {
  readonly backend: Backend | undefined;
  /** Of the canary that took the request. */
  readonly origin: string | undefined;
}

export function compileSplit(record: RouteRecord): Split {
  const ids: string[] = [];
  const bounds: number[] = [];
  let total = 0;
  for (const [id, weight] of record.backends ?? []) {
    if (weight > 0) {
      total = total + weight;
      ids.push(id);
      bounds.push(total);
    }
  }
  const canaries: CanaryRecord[] = [];
  for (const canary of record.canaries ?? []) {
    if (canary.headerMatch !== undefined && canary.headerMatch.kind === 'regex') {
      requireSearchPattern(canary.headerMatch.value);
    }
    if (canary.header !== undefined) {
      canary.header = string.lower(canary.header);
    }
    canaries.push(canary);
  }
  return {
    single: ids.length === 1 && canaries.length === 0 ? ids[0] : undefined,
    ids,
    bounds,
    total,
    canaries: canaries.length === 0 ? undefined : canaries,
  };
}

function byWeight(split: Split): string | undefined {
  const { ids, bounds } = split;
  if (ids.length <= 1) {
    return ids[0];
  }
  const point = math.random() * split.total;
  for (const index of $range(1, bounds.length)) {
    if (point < bounds[index - 1]!) {
      return ids[index - 1];
    }
  }
  return ids[ids.length - 1];
}

/** `always` and `never` decide; anything else leaves it to the next rule. */
function word(value: string | undefined): boolean | undefined {
  if (value === 'always') {
    return true;
  }
  return value === 'never' ? false : undefined;
}

function byHeader(canary: CanaryRecord): boolean | undefined {
  if (canary.header === undefined) {
    return undefined;
  }
  const value = headerText(canary.header);
  const { headerMatch } = canary;
  if (headerMatch === undefined) {
    return word(value);
  }
  if (value === undefined) {
    return undefined;
  }
  const matches = headerMatch.kind === 'exact' ? value === headerMatch.value : found(value, headerMatch.value);
  return matches ? true : undefined;
}

function takes(canary: CanaryRecord, session: string | undefined, main: Backend | undefined): boolean {
  const headerSays = byHeader(canary);
  if (headerSays !== undefined) {
    return headerSays;
  }
  const cookieSays = canary.cookie === undefined ? undefined : word(cookieValue(canary.cookie));
  if (cookieSays !== undefined) {
    return cookieSays;
  }
  if (session !== undefined && canary.sticky === true) {
    const backend = findBackend(canary.backend);
    if (backend !== undefined && sessionEndpoint(backend, session) !== undefined) {
      return true;
    }
    if (main !== undefined && sessionEndpoint(main, session) !== undefined) {
      return false;
    }
  }
  return canary.weight > 0 && math.random() * canary.total < canary.weight;
}

/** `session`: the value of the client's session cookie, if the route keeps sessions. */
export function chooseBackend(split: Split, session: string | undefined): Choice {
  const { canaries } = split;
  const id = byWeight(split);
  const main = id === undefined ? undefined : findBackend(id);
  for (const canary of canaries ?? []) {
    if (takes(canary, session, main)) {
      const backend = findBackend(canary.backend);
      // A canary that isn't up takes nobody down.
      if (backend !== undefined && backend.size > 0) {
        return { backend, origin: canary.origin };
      }
    }
  }
  return { backend: main, origin: undefined };
}
