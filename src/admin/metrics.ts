import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Controller, ControllerListener } from '../controller/controller.ts';
import type { Drain } from '../controller/drain.ts';
import type { ApplyOutcome } from '../controller/driver-machine.ts';
import type { Status } from '../controller/status.ts';
import { WriteCounts } from '../status/write-counts.ts';
import { type DataPlaneCounts, readDataPlaneCounts } from './data-plane-counts.ts';
import { METRIC_DEFINITIONS, type MetricName } from './metric-definitions.ts';

const SOURCE_COUNTERS = [
  ['weir_source_lists_total', 'lists'],
  ['weir_source_watches_total', 'watches'],
  ['weir_source_failures_total', 'failures'],
] as const;

/** What the drivers that are proxies are called. */
const PROXY = 'proxy/';

function proxiesOf({ drivers }: Status): Status['drivers'] {
  return drivers.filter(({ name }) => name.startsWith(PROXY));
}

/** weir's own metrics: counted as things happen, or read from the controller when they are asked for. */
export class Metrics implements ControllerListener {
  readonly registry = new Registry();
  readonly #applies = new Counter({ ...this.#define('weir_applies_total') });
  readonly #reloads = new Counter({ ...this.#define('weir_nginx_reloads_total') });
  readonly #duration = new Histogram({
    ...this.#define('weir_apply_duration_seconds'),
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  });
  readonly #changeToTraffic = new Histogram({
    ...this.#define('weir_change_to_traffic_seconds'),
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.02, 0.03, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  });

  readonly #dataPlane = {
    authUndecided: new Counter({ ...this.#define('weir_nginx_auth_undecided_total') }),
    mirrorLost: new Counter({ ...this.#define('weir_nginx_mirror_lost_total') }),
  };
  readonly #counts: (() => Promise<DataPlaneCounts>) | undefined;

  /** `counts` asks the data plane; absent: it counts nothing. */
  constructor(
    controller: Controller,
    counts?: () => Promise<DataPlaneCounts>,
    drain?: Pick<Drain, 'state'>,
    writes: WriteCounts = new WriteCounts(),
  ) {
    this.#counts = counts;
    this.#countWrites(writes);
    this.#gauge('weir_ready', (gauge) => gauge.set(Number(controller.ready())));
    this.#gauge('weir_draining', (gauge) => gauge.set(Number(drain?.state !== undefined)));
    this.#gauge('weir_build_info', (gauge) => gauge.set({ version: controller.status().version }, 1));
    this.#gauge('weir_generation', (gauge) => gauge.set(controller.status().generation));
    this.#gauge('weir_applied_generation', (gauge) => {
      gauge.reset();
      for (const driver of controller.status().drivers) gauge.set({ driver: driver.name }, driver.appliedGeneration);
    });
    this.#gauge('weir_driver_healthy', (gauge) => {
      gauge.reset();
      for (const driver of controller.status().drivers) gauge.set({ driver: driver.name }, Number(driver.healthy));
    });
    this.#gauge('weir_proxies_connected', (gauge) => gauge.set(proxiesOf(controller.status()).length));
    this.#gauge('weir_proxy_lag_generations', (gauge) => {
      const status = controller.status();
      gauge.reset();
      for (const { name, appliedGeneration } of proxiesOf(status))
        gauge.set({ proxy: name.slice(PROXY.length) }, status.generation - appliedGeneration);
    });
    this.#gauge('weir_proxy_ready', (gauge) => {
      gauge.reset();
      for (const { name, detail } of proxiesOf(controller.status()))
        gauge.set({ proxy: name.slice(PROXY.length) }, Number(detail.ready === true));
    });
    this.#gauge('weir_source_healthy', (gauge) => {
      const { source } = controller.status();
      gauge.set({ source: source.name }, Number(source.healthy));
    });
    this.#gauge('weir_source_objects', (gauge) => {
      for (const { resource, objects } of controller.sourceActivity) gauge.set({ resource }, objects);
    });
    for (const [name, key] of SOURCE_COUNTERS) {
      const counter: Counter = new Counter({
        ...this.#define(name),
        collect: () => {
          counter.reset();
          for (const counts of controller.sourceActivity) counter.inc({ resource: counts.resource }, counts[key]);
        },
      });
    }
    this.#gauge('weir_findings', (gauge) => {
      gauge.reset();
      for (const severity of ['error', 'warning', 'info']) gauge.set({ severity }, 0);
      for (const { severity } of controller.findings()) gauge.inc({ severity });
    });
    this.#gauge('weir_quarantined_objects', (gauge) => gauge.set(controller.status().quarantined.length));
    this.#gauge('weir_model_parts', (gauge) => {
      for (const [table, parts] of Object.entries(controller.model))
        gauge.set({ table }, (parts as Map<string, unknown>).size);
    });
    this.#gauge('weir_saved_state_pending_parts', (gauge) => gauge.set(controller.status().savedState.pending));
    this.#gauge('weir_saved_state_failing', (gauge) => {
      gauge.set(Number(controller.status().savedState.error !== undefined));
    });
    this.#gauge('weir_certificate_expiry_timestamp_seconds', (gauge) => {
      gauge.reset();
      for (const { id, notAfter } of controller.model.certificates.values()) {
        gauge.set({ certificate: id }, Date.parse(notAfter) / 1000);
      }
    });
  }

  applied(driver: string, { seconds, arrivals }: ApplyOutcome): void {
    this.#applies.inc({ driver, result: 'success' });
    this.#duration.observe({ driver }, seconds);
    const now = performance.now();
    for (const arrived of arrivals) this.#changeToTraffic.observe({ driver }, (now - arrived) / 1000);
  }

  reloaded(driver: string, reason: string): void {
    if (driver === 'nginx') this.#reloads.inc({ reason });
  }

  failed(driver: string): void {
    this.#applies.inc({ driver, result: 'failure' });
  }

  /** Series of proxies that are gone would pile up. */
  removed(driver: string): void {
    for (const result of ['success', 'failure']) this.#applies.remove({ driver, result });
    this.#duration.remove({ driver });
    this.#changeToTraffic.remove({ driver });
  }

  /** The Prometheus text. */
  async text(): Promise<string> {
    if (this.#counts !== undefined) await readDataPlaneCounts(this.#counts, this.#dataPlane);
    return this.registry.metrics();
  }

  #countWrites(writes: WriteCounts): void {
    this.#gauge('weir_leader', (gauge) => gauge.set(Number(writes.leads)));
    const counted = [
      ['weir_status_writes_total', writes.statusWrites],
      ['weir_events_total', writes.events],
    ] as const;
    for (const [name, byResult] of counted) {
      const counter: Counter = new Counter({
        ...this.#define(name),
        collect: () => {
          counter.reset();
          for (const [result, count] of byResult) counter.inc({ result }, count);
        },
      });
    }
  }

  #define(name: MetricName) {
    const { help, labels } = METRIC_DEFINITIONS[name];
    return { name, help, labelNames: [...labels] as string[], registers: [this.registry] };
  }

  #gauge(name: MetricName, collect: (gauge: Gauge) => void): void {
    const gauge: Gauge = new Gauge({ ...this.#define(name), collect: () => collect(gauge) });
  }
}
