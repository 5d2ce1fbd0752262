import { CodedError } from '../lib/coded-error.ts';
import type { ModelClient } from '../stream/model-client.ts';
import type { ErrorView, ProxyReport } from '../stream/messages.ts';
import type { Controller, ControllerListener } from './controller.ts';

/** Milliseconds that news about the proxy gather; what is in force is told at once. */
const GATHER = 500;

/** Tells the controller of a proxy what is in force here, and how it is. */
export class StreamReport implements ControllerListener {
  readonly #controller: Controller;
  readonly #client: ModelClient;
  #owed: { readonly commit: number; readonly generation: number }[] = [];
  #conversation = 0;
  #sentFindings = '';
  #sentReport = '';
  #timer: NodeJS.Timeout | undefined;

  constructor(controller: Controller, client: ModelClient) {
    this.#controller = controller;
    this.#client = client;
  }

  /** The commit is in force as soon as this generation is. */
  committed(commit: number, generation: number): void {
    this.#renew();
    this.#owed.push({ commit, generation });
    this.#acknowledge();
  }

  changed(): void {
    this.#acknowledge();
    this.#timer ??= setTimeout(() => this.#tell(), GATHER).unref();
  }

  failed(_driver: string, error: Error): void {
    this.#client.send({ type: 'failed', error: viewOf(error) });
  }

  reloaded(_driver: string, reason: string, detail: string): void {
    this.#tell();
    this.#client.send({ type: 'reloaded', reason, detail });
  }

  /** Another controller, or the same anew, knows nothing of what was said before. */
  #renew(): void {
    if (this.#client.conversations === this.#conversation) return;
    this.#conversation = this.#client.conversations;
    this.#owed = [];
    this.#sentFindings = '';
    this.#sentReport = '';
    this.#tell();
  }

  #acknowledge(): void {
    const { appliedGeneration } = this.#controller;
    const [first] = this.#owed;
    if (first === undefined || first.generation > appliedGeneration) return;
    const done = this.#owed.filter(({ generation }) => generation <= appliedGeneration);
    this.#owed = this.#owed.slice(done.length);
    this.#tellFindings();
    this.#client.send({ type: 'applied', commit: done.at(-1)!.commit });
  }

  #tell(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#renew();
    this.#tellFindings();
    const report = this.#report();
    const text = JSON.stringify(report);
    if (text === this.#sentReport) return;
    this.#sentReport = text;
    this.#client.send({ type: 'report', report });
  }

  #tellFindings(): void {
    const findings = this.#controller.driverFindings();
    if (this.#sentFindings === '' && findings.planned.length + findings.quarantined.length === 0) return;
    const text = JSON.stringify(findings);
    if (text === this.#sentFindings) return;
    this.#sentFindings = text;
    this.#client.send({ type: 'findings', ...findings });
  }

  #report(): ProxyReport {
    const { ready, model, reloads, drivers, source } = this.#controller.status();
    const error = drivers.find((driver) => driver.error !== undefined)?.error;
    const { findings: _, ...detail } = drivers[0]?.detail ?? {};
    return {
      ready,
      healthy: drivers.every(({ healthy }) => healthy),
      model: model.origin,
      reloads,
      ...(error === undefined ? {} : { error }),
      problems: source.problems,
      detail,
    };
  }
}

function viewOf(error: Error): ErrorView {
  const code = error instanceof CodedError ? error.code : 'driver-failed';
  const remedy = error instanceof CodedError ? error.remedy : undefined;
  return { code, message: error.message, ...(remedy === undefined ? {} : { remedy }) };
}
