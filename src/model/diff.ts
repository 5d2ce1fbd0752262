import { equalParts } from './equality.ts';
import { MODEL_TABLES, type Model, type ModelDelta, type ModelParts, type ModelTable } from './model.ts';

export function emptyDelta(): ModelDelta {
  return tables(() => new Set<string>());
}

/** Keys whose part is in only one of the models, or isn't the same in both. Parts that are one object cost nothing. */
export function diffModels(before: Model, after: Model): ModelDelta {
  return tables((table) => diffTable(before[table], after[table]));
}

/** Everything in the model: the difference to an empty one. */
export function wholeModel(model: Model): ModelDelta {
  return tables((table) => new Set(model[table].keys()));
}

/** Keys in any of the deltas. */
export function mergeDeltas(...deltas: readonly ModelDelta[]): ModelDelta {
  return tables((table) => {
    const keys = new Set<string>();
    for (const delta of deltas) for (const key of delta[table]) keys.add(key);
    return keys;
  });
}

export function isEmptyDelta(delta: ModelDelta): boolean {
  return MODEL_TABLES.every((table) => delta[table].size === 0);
}

/** Number of keys in all tables. */
export function deltaSize(delta: ModelDelta): number {
  return MODEL_TABLES.reduce((sum, table) => sum + delta[table].size, 0);
}

/** `base` with the parts that `delta` names taken from `source` (removed where it has none). Neither is changed. */
export function applyDelta(base: Model, source: Model, delta: ModelDelta): Model {
  const take = <Table extends ModelTable>(table: Table): ReadonlyMap<string, ModelParts[Table]> => {
    const from = source[table] as ReadonlyMap<string, ModelParts[Table]>;
    const unchanged = base[table] as ReadonlyMap<string, ModelParts[Table]>;
    if (delta[table].size === 0) return unchanged;
    const parts = new Map(unchanged);
    for (const key of delta[table]) {
      const part = from.get(key);
      if (part === undefined) parts.delete(key);
      else parts.set(key, part);
    }
    return parts;
  };
  return {
    certificates: take('certificates'),
    backends: take('backends'),
    listeners: take('listeners'),
    hosts: take('hosts'),
    l4Routes: take('l4Routes'),
  };
}

function tables(keysOf: (table: ModelTable) => Set<string>): ModelDelta {
  return {
    certificates: keysOf('certificates'),
    backends: keysOf('backends'),
    listeners: keysOf('listeners'),
    hosts: keysOf('hosts'),
    l4Routes: keysOf('l4Routes'),
  };
}

function diffTable(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): Set<string> {
  const keys = new Set<string>();
  for (const [key, part] of after) if (!before.has(key) || !equalParts(before.get(key), part)) keys.add(key);
  for (const key of before.keys()) if (!after.has(key)) keys.add(key);
  return keys;
}
