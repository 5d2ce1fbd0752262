import type { HeaderChange } from '../../../model/filter.ts';
import type { HeaderChangeRecord } from '../wire.ts';

/**
 * Several header filters of a route, folded into one: a later filter sees what an earlier one did, so what it sets or
 * removes takes the place of what was set, added or removed under that name before. Names are compared without case.
 */
export function foldHeaderChanges(changes: readonly HeaderChange[]): HeaderChangeRecord | undefined {
  const set = new Map<string, [string, string]>();
  let add: [string, string][] = [];
  const remove = new Set<string>();
  for (const change of changes) {
    for (const name of change.remove ?? []) {
      const key = name.toLowerCase();
      set.delete(key);
      add = add.filter(([added]) => added.toLowerCase() !== key);
      remove.add(key);
    }
    for (const { name, value } of change.set ?? []) {
      const key = name.toLowerCase();
      remove.delete(key);
      add = add.filter(([added]) => added.toLowerCase() !== key);
      set.set(key, [name, value]);
    }
    for (const { name, value } of change.add ?? []) {
      const key = name.toLowerCase();
      // Added after a removal, a header begins anew: the same as setting it.
      if (remove.delete(key)) set.set(key, [name, value]);
      else add.push([name, value]);
    }
  }
  if (set.size === 0 && add.length === 0 && remove.size === 0) return undefined;
  return {
    ...(set.size === 0 ? {} : { set: [...set.values()] }),
    ...(add.length === 0 ? {} : { add }),
    ...(remove.size === 0 ? {} : { remove: [...remove] }),
  };
}
