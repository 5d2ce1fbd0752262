/**
 * A table that never holds more than twice its limit: when the young half is full the old half is let go. Costs a
 * hit one look-up, and keeps what is used. Keys come from clients, so nothing here may grow with them.
 */
export interface BoundedCache<V> {
  young: LuaTable<string, V>;
  old: LuaTable<string, V>;
  count: number;
  readonly limit: number;
}

export function createCache<V>(limit: number): BoundedCache<V> {
  return { young: new LuaTable(), old: new LuaTable(), count: 0, limit };
}

export function remember<V>(cache: BoundedCache<V>, key: string, value: V): void {
  if (cache.young.get(key) === undefined) {
    cache.count += 1;
    if (cache.count > cache.limit) {
      cache.old = cache.young;
      cache.young = new LuaTable();
      cache.count = 1;
    }
  }
  cache.young.set(key, value);
}

export function recall<V>(cache: BoundedCache<V>, key: string): V | undefined {
  const value = cache.young.get(key);
  if (value !== undefined) {
    return value;
  }
  const former = cache.old.get(key);
  if (former !== undefined) {
    remember(cache, key, former);
  }
  return former;
}

export function forget<V>(cache: BoundedCache<V>, key: string): void {
  cache.young.delete(key);
  cache.old.delete(key);
}

export function forgetAll<V>(cache: BoundedCache<V>): void {
  cache.young = new LuaTable();
  cache.old = new LuaTable();
  cache.count = 0;
}
