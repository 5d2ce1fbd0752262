import { Agent as PlainAgent } from 'node:http';
import { Agent } from 'node:https';
import type { Echo } from '../../support/backends/echo-backend.ts';
import { ClosedWhileIdle, request } from '../../support/clients/http-client.ts';
import { LOAD_KINDS, type LoadCommand, type LoadKind, type LoadReport } from './load-message.ts';

/** How ten requests are shared out; new TLS connections cost most. */
const SCHEDULE: readonly LoadKind[] = [
  'http kept',
  'https kept',
  'http new',
  'http kept',
  'https new',
  'http kept',
  'https kept',
  'http new',
  'http kept',
  'https kept',
];
const KEPT_CONNECTIONS = 8;
const TICK_MS = 10;
const TIMEOUT_MS = 10_000;
/** Beyond so many unanswered ones no more are sent: the load must not be what breaks things. */
const MOST_IN_FLIGHT = 400;

/** Requests at a steady rate; each must be answered 200 by a backend that saw the right host. Nothing is sent twice. */
export class LoadRun {
  readonly #command: Extract<LoadCommand, { type: 'start' }>;
  readonly #agents = {
    http: new PlainAgent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS, scheduling: 'fifo' }),
    https: new Agent({ keepAlive: true, maxSockets: KEPT_CONNECTIONS, scheduling: 'fifo' }),
  };
  readonly #counts = zeroes();
  readonly #failed = zeroes();
  readonly #failures: string[] = [];
  readonly #idleFailures: string[] = [];
  readonly #times: number[] = [];
  readonly #began = performance.now();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  #sent = 0;
  #idleClosed = 0;
  #lastGood = performance.now();
  #longestGap = 0;

  constructor(command: Extract<LoadCommand, { type: 'start' }>) {
    this.#command = command;
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
  }

  report(): LoadReport {
    const times = this.#times.toSorted((a, b) => a - b);
    const at = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
    return {
      requests: sum(this.#counts),
      byKind: { ...this.#counts },
      failed: sum(this.#failed),
      failedByKind: { ...this.#failed },
      idleClosed: this.#idleClosed,
      failures: [...this.#failures, ...this.#idleFailures].slice(0, 50),
      seconds: (performance.now() - this.#began) / 1000,
      longestGap: Math.max(this.#longestGap, performance.now() - this.#lastGood) / 1000,
      p50: at(0.5),
      p99: at(0.99),
      longest: at(1),
    };
  }

  /** Sends no more and resolves when all is answered. */
  async stop(): Promise<LoadReport> {
    clearInterval(this.#timer);
    await Promise.all(this.#inFlight);
    this.#agents.http.destroy();
    this.#agents.https.destroy();
    return this.report();
  }

  #tick(): void {
    const due = ((performance.now() - this.#began) / 1000) * this.#command.rate;
    while (this.#sent < due && this.#inFlight.size < MOST_IN_FLIGHT) {
      const kind = SCHEDULE[this.#sent % SCHEDULE.length]!;
      const host = this.#command.hosts[this.#sent % this.#command.hosts.length]!;
      const sending = this.#send(kind, host, this.#sent++).finally(() => this.#inFlight.delete(sending));
      this.#inFlight.add(sending);
    }
  }

  async #send(kind: LoadKind, host: string, number: number): Promise<void> {
    const began = performance.now();
    let idle = false;
    const problem = await this.#ask(kind, host, number).catch((error: unknown) => {
      idle = error instanceof ClosedWhileIdle;
      return errorText(error);
    });
    const ended = performance.now();
    this.#counts[kind] += 1;
    if (problem === undefined) {
      this.#times.push(ended - began);
      this.#longestGap = Math.max(this.#longestGap, ended - this.#lastGood);
      this.#lastGood = ended;
      return;
    }
    this.#failed[kind] += 1;
    if (idle) this.#idleClosed += 1;
    const second = ((began - this.#began) / 1000).toFixed(2);
    const list = idle ? this.#idleFailures : this.#failures;
    if (list.length < 50) list.push(`${kind} ${host} sent at ${second} s: ${problem}`);
  }

  /** What is wrong with the answer. */
  async #ask(kind: LoadKind, host: string, number: number): Promise<string | undefined> {
    const secure = kind.startsWith('https');
    const { httpPort, httpsPort } = this.#command;
    const agent = kind.endsWith('kept') ? { agent: this.#agents[secure ? 'https' : 'http'] } : {};
    const tls = secure ? ({ tls: true } as const) : {};
    const path = `/load/${number}`;
    const port = secure ? httpsPort : httpPort;
    const reply = await request({ port, host, path, timeoutMs: TIMEOUT_MS, ...agent, ...tls });
    if (reply.status !== 200) return `status ${reply.status}: ${reply.body.slice(0, 100)}`;
    const echo = reply.json<Echo>();
    return echo.host === host && echo.url === path ? undefined : `answered for ${echo.host}${echo.url}`;
  }
}

function zeroes(): Record<LoadKind, number> {
  return Object.fromEntries(LOAD_KINDS.map((kind) => [kind, 0])) as Record<LoadKind, number>;
}

function sum(counts: Readonly<Record<LoadKind, number>>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0);
}

function errorText(error: unknown): string {
  return error instanceof Error
    ? `${(error as NodeJS.ErrnoException).code ?? error.name} ${error.message}`
    : String(error);
}
