import { ConfigError } from '../config/config-error.ts';
import { LIVE_SETTINGS, readConfigMapLayer } from '../config/config-map-layer.ts';
import { SETTING_KEYS, type Settings } from '../config/settings.ts';
import { type CatalogueEntry, finding } from '../diagnostics/catalogue.ts';
import type { Finding } from '../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../diagnostics/sources.ts';
import type { KubeObject } from '../kube/kube-object.ts';
import type { ReflectorChange, ReflectorSink, ReflectorState } from '../kube/reflector-sink.ts';

/** The settings in force when the ConfigMap says this: flags, environment and file come before it. Throws a ConfigError. */
export type Reread = (fromConfigMap: Readonly<Record<string, unknown>>) => Settings;

export interface ConfigMapFollowerOptions {
  /** `NAMESPACE/NAME` */
  readonly name: string;
  /** Those that weir was started with. */
  readonly started: Settings;
  readonly reread: Reread;
  /** Called for each live setting that is another now. */
  readonly apply: (key: string, value: unknown) => void;
  readonly report: (findings: readonly Finding[]) => void;
}

/**
 * Follows the ConfigMap while weir runs. Live settings take effect; of others it is told that they need a restart. A bad key
 * keeps its last good value, and a ConfigMap that goes takes nothing away.
 */
export class ConfigMapFollower implements ReflectorSink {
  readonly #options: ConfigMapFollowerOptions;
  readonly #origin;
  #inForce: Settings;
  #values: Readonly<Record<string, unknown>> = {};
  #exists = false;

  constructor(options: ConfigMapFollowerOptions) {
    this.#options = options;
    this.#inForce = options.started;
    const [namespace = '', name = ''] = options.name.split('/');
    this.#origin = { kind: 'ConfigMap', namespace, name };
  }

  changed(changes: readonly ReflectorChange[]): void {
    for (const change of changes) {
      this.#exists = change.type === 'put';
      if (change.type === 'put') this.#read(change.object);
      else this.#reportMissing();
    }
  }

  synced(): void {
    if (!this.#exists) this.#reportMissing();
  }

  state(state: ReflectorState): void {
    if (state.state !== 'waiting' || !state.forbidden) return;
    const { message } = state.error;
    const why = `weir may not read the ConfigMap of its settings, ${this.#options.name}: ${message}`;
    this.#options.report([this.#finding(SOURCE_FINDINGS.configMapMissing, '', why, RIGHT)]);
  }

  #read(object: KubeObject): void {
    const { values, problems } = readConfigMapLayer(object['data'], this.#values);
    const findings = problems.map(({ place, message, remedy }) =>
      this.#finding(SOURCE_FINDINGS.settingInvalid, place, `${message} The last good value stays.`, remedy),
    );
    try {
      const wanted = this.#options.reread(values);
      this.#values = values;
      findings.push(...this.#follow(wanted));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      for (const { place, message, remedy } of error.problems) {
        findings.push(this.#finding(SOURCE_FINDINGS.settingInvalid, 'data', `${place}: ${message}`, remedy));
      }
    }
    this.#options.report(findings);
  }

  #follow(wanted: Settings): readonly Finding[] {
    const findings: Finding[] = [];
    const changed = SETTING_KEYS.filter((key) => JSON.stringify(wanted[key]) !== JSON.stringify(this.#inForce[key]));
    for (const key of changed) {
      if (LIVE_SETTINGS.has(key)) {
        this.#options.apply(key, wanted[key]);
        this.#inForce = { ...this.#inForce, [key]: wanted[key] };
        continue;
      }
      const message = `${key} is ${JSON.stringify(wanted[key])} in the ConfigMap and ${JSON.stringify(this.#inForce[key])} in force.`;
      findings.push(this.#finding(SOURCE_FINDINGS.settingNeedsRestart, `data.${key}`, message));
    }
    return findings;
  }

  #reportMissing(): void {
    const message = `There is no ConfigMap ${this.#options.name}; the settings in force stay.`;
    this.#options.report([this.#finding(SOURCE_FINDINGS.configMapMissing, '', message)]);
  }

  #finding(entry: CatalogueEntry, field: string, message: string, fix?: string): Finding {
    return finding(entry, { object: this.#origin, field }, message, fix);
  }
}

const RIGHT = 'Give weir’s user the right to get, list and watch this ConfigMap by its name.';
