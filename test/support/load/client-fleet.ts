import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../scope.ts';
import { Http2LoadClient } from './http2-load-client.ts';
import type { LoadPlan, LoadTarget } from './load-plan.ts';
import { PlainClient } from './plain-client.ts';
import { Tally, type TallyReport } from './tally.ts';
import { WatchedWebSocket } from './watched-web-socket.ts';

export interface FleetReport {
  readonly seconds: number;
  readonly kept: TallyReport;
  readonly fresh: TallyReport;
  readonly http2: TallyReport;
  /** Of the WebSockets that were opened: the target, and seconds from the start of the load until it was closed. */
  readonly webSockets: readonly { readonly target: LoadTarget; readonly closedAfter?: number }[];
}

const TICK_MS = 10;

/** All clients of a plan. Each new connection goes to one of the targets, by chance; which there are may change as the load goes on. */
export class ClientFleet {
  readonly #plan: LoadPlan;
  readonly #tallies = { kept: new Tally(), fresh: new Tally(), http2: new Tally() };
  readonly #began = performance.now();
  readonly #work: Promise<void>[] = [];
  readonly #sockets: WatchedWebSocket[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #targets: readonly LoadTarget[];
  #stopped = false;

  private constructor(plan: LoadPlan, targets: readonly LoadTarget[]) {
    this.#plan = plan;
    this.#targets = targets;
  }

  /** Resolves when the WebSockets are open; rejects where one can't be. */
  static async start(plan: LoadPlan, targets: readonly LoadTarget[]): Promise<ClientFleet> {
    const fleet = new ClientFleet(plan, targets);
    for (let count = 0; count < (plan.webSockets?.connections ?? 0); count += 1) {
      fleet.#sockets.push(await WatchedWebSocket.open(plan, targets[count % targets.length]!, fleet.#began));
    }
    fleet.#begin();
    return fleet;
  }

  /** Where connections go from now on that are yet to be made. */
  choose(targets: readonly LoadTarget[]): void {
    this.#targets = targets;
  }

  report(): FleetReport {
    const { kept, fresh, http2 } = this.#tallies;
    return {
      seconds: (performance.now() - this.#began) / 1000,
      kept: kept.report(),
      fresh: fresh.report(),
      http2: http2.report(),
      webSockets: this.#sockets.map((socket) => socket.report()),
    };
  }

  /** Sends no more, waits for what was sent, and closes all. */
  async stop(): Promise<FleetReport> {
    this.#stopped = true;
    await Promise.all(this.#work);
    await Promise.all(this.#inFlight);
    const report = this.report();
    for (const socket of this.#sockets) socket.close();
    return report;
  }

  /** Resolves when so many requests were answered or failed, of all kinds together. */
  async reached(requests: number, withinMs: number): Promise<void> {
    const { kept, fresh, http2 } = this.#tallies;
    const sum = () => [kept, fresh, http2].reduce((total, tally) => total + tally.report().requests, 0);
    await eventually(`${requests} requests`, () => sum() >= requests, { withinMs, everyMs: 100 });
  }

  #begin(): void {
    const { kept, fresh, http2 } = this.#plan;
    const choose = () => this.#targets[Math.floor(Math.random() * this.#targets.length)]!;
    for (let count = 0; count < (kept?.connections ?? 0); count += 1) {
      const client = new PlainClient(this.#plan, choose, this.#tallies.kept, kept?.tls);
      this.#work.push(this.#repeat(client, kept!.pauseMs));
    }
    for (let count = 0; count < (http2?.connections ?? 0); count += 1) {
      this.#work.push(this.#repeat(new Http2LoadClient(this.#plan, choose, this.#tallies.http2), http2!.pauseMs));
    }
    if (fresh !== undefined) this.#work.push(this.#sendFresh(fresh.perSecond, choose));
  }

  async #repeat(
    client: { send(): Promise<void>; close(): void },
    [from, to]: readonly [number, number],
  ): Promise<void> {
    // Not all at once.
    await delay(Math.random() * to);
    while (!this.#stopped) {
      await client.send();
      await delay(from + Math.random() * (to - from));
    }
    client.close();
  }

  async #sendFresh(perSecond: number, choose: () => LoadTarget): Promise<void> {
    const began = performance.now();
    for (let sent = 0; !this.#stopped; await delay(TICK_MS)) {
      for (const due = ((performance.now() - began) / 1000) * perSecond; sent < due; sent += 1) {
        const client = new PlainClient(this.#plan, choose, this.#tallies.fresh);
        const sending = client.send({ Connection: 'close' }).finally(() => {
          client.close();
          this.#inFlight.delete(sending);
        });
        this.#inFlight.add(sending);
      }
    }
  }
}
