import { diffModels, wholeModel } from '../model/diff.ts';
import { MODEL_TABLES, type Model, type ModelDelta, type ModelParts, type ModelTable } from '../model/model.ts';

type Tables = { readonly [Table in ModelTable]: Map<string, ModelParts[Table]> };

/**
 * What one driver is working towards. The translator's model changes while a driver applies; this one stands still
 * until the driver is free again, and catching up costs in proportion to what changed.
 */
export class TargetModel {
  readonly #tables: Tables = {
    certificates: new Map(),
    backends: new Map(),
    listeners: new Map(),
    hosts: new Map(),
    l4Routes: new Map(),
  };

  get model(): Model {
    return this.#tables;
  }

  /** Takes over the parts of `live` with these keys. Answers which of them really differ: made and unmade again is nothing. */
  advance(live: Model, keys: ModelDelta): ModelDelta {
    const changed = (table: ModelTable) =>
      new Set([...keys[table]].filter((key) => live[table].get(key) !== this.#tables[table].get(key)));
    const delta = {
      certificates: changed('certificates'),
      backends: changed('backends'),
      listeners: changed('listeners'),
      hosts: changed('hosts'),
      l4Routes: changed('l4Routes'),
    };
    this.#take(live, delta);
    return delta;
  }

  /** Becomes equal to `live`, whatever it was. Parts that say the same as before don't count as changed. */
  replace(live: Model): ModelDelta {
    const delta = diffModels(this.#tables, live);
    this.#take(live, delta);
    // Of parts that say the same the live ones are taken, too: the others would be in memory a second time.
    this.#take(live, wholeModel(live));
    return delta;
  }

  #take(live: Model, delta: ModelDelta): void {
    for (const table of MODEL_TABLES) takeParts(this.#tables[table], live[table], delta[table]);
  }
}

function takeParts(own: Map<string, unknown>, live: ReadonlyMap<string, unknown>, keys: ReadonlySet<string>): void {
  for (const key of keys) {
    const part = live.get(key);
    if (part === undefined) own.delete(key);
    else own.set(key, part);
  }
}
