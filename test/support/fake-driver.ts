import type { Applied, Driver, DriverState, Plan } from '../../src/drivers/driver.ts';
import type { Model, ModelDelta } from '../../src/model/model.ts';

/** For tests: a load balancer that is slow, refuses or fails as told, and remembers what it was given. */
export class FakeDriver implements Driver {
  readonly name: string;
  readonly capabilities = {
    listeners: new Set<string>(),
    filters: new Set<string>(),
    balancing: new Set<string>(),
    protocols: new Set<string>(),
  };
  /** Backends in force, by key, as the last successful apply left them. */
  inForce: ReadonlyMap<string, unknown> = new Map();
  readonly applies: { readonly backends: readonly string[] | 'everything' }[] = [];
  stopped: 'leave' | 'drain' | undefined;
  healthy = true;
  detail: DriverState['detail'] = {};
  /** Errors of the next calls, in order; undefined: this one works. */
  startErrors: (Error | undefined)[] = [];
  planErrors: (Error | undefined)[] = [];
  applyErrors: (Error | undefined)[] = [];
  quarantined: Applied['quarantined'] = [];
  reload: Plan['reload'];
  #gate: PromiseWithResolvers<void> | undefined;

  constructor(name = 'fake') {
    this.name = name;
  }

  /** Applies wait from now on, until `release`. */
  hold(): void {
    this.#gate ??= Promise.withResolvers();
  }

  release(): void {
    this.#gate?.resolve();
    this.#gate = undefined;
  }

  async start(): Promise<void> {
    const error = this.startErrors.shift();
    if (error) throw error;
  }

  plan(_model: Model, delta: ModelDelta | undefined): Plan {
    const error = this.planErrors.shift();
    if (error) throw error;
    const changes = { backends: delta?.backends.size ?? 0 };
    return { summary: 'fake', changes, findings: [], ...(this.reload === undefined ? {} : { reload: this.reload }) };
  }

  async apply(model: Model, delta: ModelDelta | undefined): Promise<Applied> {
    this.applies.push({ backends: delta === undefined ? 'everything' : [...delta.backends].sort() });
    await this.#gate?.promise;
    const error = this.applyErrors.shift();
    if (error) throw error;
    // Only what the delta names is looked at, so that a key lost on the way shows.
    const next = delta === undefined ? new Map<string, unknown>() : new Map(this.inForce);
    for (const key of delta?.backends ?? model.backends.keys()) {
      const part = model.backends.get(key);
      if (part === undefined) next.delete(key);
      else next.set(key, part);
    }
    this.inForce = next;
    return { reloaded: this.reload !== undefined, quarantined: this.quarantined };
  }

  async observe(): Promise<DriverState> {
    return { name: this.name, healthy: this.healthy, detail: this.detail };
  }

  async stop(how: 'leave' | 'drain'): Promise<void> {
    this.stopped = how;
  }
}
