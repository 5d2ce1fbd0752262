import { createCache, forget, forgetAll, recall, remember, type BoundedCache } from './bounded-cache';
import { nameCandidates } from './name-candidates';

/** A worker's memory of named records of one kind in one scope. `false`: there is none. */
interface ScopeMemory<V> {
  /** By the record's own name: `shop.example`, `*.shop.example`. */
  readonly records: BoundedCache<V>;
  /** By the name that a client gave, where no record has exactly that name. */
  readonly resolved: BoundedCache<V | false>;
}

export interface ScopedLookup<V> {
  readonly read: (this: void, scope: string, name: string) => V | undefined;
  scopes: LuaTable<string, ScopeMemory<V>>;
}

const MOST_RECORDS = 32768;
/** Two halves: 1,024 names that have no record of their own. */
const MOST_RESOLVED = 512;

export function createLookup<V>(read: (this: void, scope: string, name: string) => V | undefined): ScopedLookup<V> {
  return { read, scopes: new LuaTable() };
}

function memoryOf<V>(lookup: ScopedLookup<V>, scope: string): ScopeMemory<V> {
  let memory = lookup.scopes.get(scope);
  if (memory === undefined) {
    memory = { records: createCache(MOST_RECORDS), resolved: createCache(MOST_RESOLVED) };
    lookup.scopes.set(scope, memory);
  }
  return memory;
}

function resolve<V>(lookup: ScopedLookup<V>, memory: ScopeMemory<V>, scope: string, name: string): V | undefined {
  for (const candidate of nameCandidates(name)) {
    let found = recall(memory.records, candidate);
    if (found === undefined) {
      const loaded = lookup.read(scope, candidate);
      if (loaded !== undefined) {
        remember(memory.records, candidate, loaded);
        found = loaded;
      }
    }
    if (found !== undefined) {
      if (candidate !== name) {
        remember(memory.resolved, name, found);
      }
      return found;
    }
  }
  remember(memory.resolved, name, false);
  return undefined;
}

/** The record that answers for a name, if any. */
export function find<V>(lookup: ScopedLookup<V>, scope: string, name: string): V | undefined {
  const memory = lookup.scopes.get(scope) ?? memoryOf(lookup, scope);
  const exact = memory.records.young.get(name);
  if (exact !== undefined) {
    return exact;
  }
  const known = recall(memory.resolved, name);
  if (known !== undefined) {
    return known === false ? undefined : known;
  }
  return resolve(lookup, memory, scope, name);
}

/** `rest` is `SCOPE/NAME`. A record that comes or goes may change what any other name resolves to. */
export function forgetName<V>(lookup: ScopedLookup<V>, rest: string): void {
  const [scope, name] = string.match(rest, '^(.*)/([^/]*)$');
  if (scope === undefined || name === undefined) {
    return;
  }
  const memory = lookup.scopes.get(scope);
  if (memory !== undefined) {
    forget(memory.records, name);
    forgetAll(memory.resolved);
  }
}

export function forgetAllNames<V>(lookup: ScopedLookup<V>): void {
  lookup.scopes = new LuaTable();
}
