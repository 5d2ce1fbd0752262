import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { ControlClient } from '../control/control-client.ts';
import { NginxError } from '../nginx-error.ts';
import type { DataPlaneState } from '../wire.ts';
import { calls } from './call.ts';
import { recordDifference } from './record-difference.ts';

/** How long an old worker may go on answering the control socket after a reload; milliseconds. */
const OLD_WORKER_PATIENCE = 10_000;

/** What is known to be in force in the data plane. */
export interface LiveRecords {
  readonly epoch: string;
  generation: number;
  readonly checksums: Map<string, string>;
}

/**
 * Brings records into force. What nginx has is asked for once and then remembered; after any failure it is unknown and
 * asked for again, so that a push may be repeated at any point.
 */
export class Pusher {
  readonly #control: ControlClient;
  #live: LiveRecords | undefined;

  constructor(control: ControlClient) {
    this.#control = control;
  }

  get live(): LiveRecords | undefined {
    return this.#live;
  }

  forget(): void {
    this.#live = undefined;
  }

  /** Asks the data plane, unless what it has is known. An empty one gets a new epoch. */
  async learn(conf: string): Promise<LiveRecords> {
    if (this.#live !== undefined) return this.#live;
    let state = await this.#control.state();
    // After a change of zones an old worker would tell of the former ones.
    for (
      const deadline = Date.now() + OLD_WORKER_PATIENCE;
      state.conf !== conf && Date.now() < deadline;
      await delay(10)
    ) {
      state = await this.#control.state();
    }
    const checksums = new Map(await this.#control.records());
    const fresh = state.epoch === '' || state.generation === 0;
    this.#live = {
      epoch: fresh ? randomBytes(8).toString('hex') : state.epoch,
      generation: fresh ? 0 : state.generation,
      checksums,
    };
    return this.#live;
  }

  /**
   * Resolves when every request that begins afterwards sees the wanted records, in every worker of configuration `conf`.
   * `only` narrows it to some keys. Returns the number of records changed, by kind.
   */
  async push(
    conf: string,
    wanted: ReadonlyMap<string, string>,
    text: (key: string) => string | undefined,
    keys?: Iterable<string>,
    only: (key: string) => boolean = () => true,
  ): Promise<Readonly<Record<string, number>>> {
    const live = await this.learn(conf);
    const all =
      keys === undefined ? recordDifference(live.checksums, wanted) : changedKeys(keys, live.checksums, wanted);
    const changes = new Map([...all].filter(([key]) => only(key)));
    const counts: Record<string, number> = {};
    try {
      for (const call of calls(changes, text)) {
        await this.#send(conf, live, call.body);
        for (const [key, checksum] of call.done) {
          if (checksum === undefined) live.checksums.delete(key);
          else live.checksums.set(key, checksum);
          const kind = key.slice(0, 1);
          counts[kind] = (counts[kind] ?? 0) + 1;
        }
      }
    } catch (error) {
      this.#live = undefined;
      throw error;
    }
    return counts;
  }

  async #send(conf: string, live: LiveRecords, body: Buffer): Promise<void> {
    const deadline = Date.now() + OLD_WORKER_PATIENCE;
    for (;;) {
      const generation = live.generation + 1;
      const answer = await this.#control.apply({ conf, epoch: live.epoch, base: live.generation, generation, body });
      if (answer.kind === 'in-force') {
        live.generation = generation;
        return;
      }
      if (answer.kind === 'full') {
        const message =
          'The shared memory of nginx is full: this change and later ones are not in force, what was in force stays.';
        throw new NginxError('WEIR_NGINX_ZONE_FULL', message, { remedy: 'Raise the zone sizes of the nginx driver.' });
      }
      // Right after a reload an old worker may still take calls: it is asked again until it stops listening.
      if (answer.state.conf === conf || Date.now() > deadline) throw conflict(conf, live, answer.state);
      await delay(10);
    }
  }
}

function changedKeys(
  keys: Iterable<string>,
  live: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): ReadonlyMap<string, string | undefined> {
  const changes = new Map<string, string | undefined>();
  for (const key of keys) if (live.get(key) !== wanted.get(key)) changes.set(key, wanted.get(key));
  return changes;
}

function conflict(conf: string, live: LiveRecords, state: DataPlaneState): NginxError {
  const expected = `configuration ${conf}, epoch ${live.epoch}, generation ${live.generation}`;
  const found = `configuration ${state.conf}, epoch ${state.epoch}, generation ${state.generation}`;
  const message = `nginx has ${found} where ${expected} was expected; it is compared again before the next try.`;
  return new NginxError('WEIR_NGINX_CONFLICT', message);
}
