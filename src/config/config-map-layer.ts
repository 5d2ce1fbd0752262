import type { TSchema } from 'typebox';
import { nearestWord } from '../lib/nearest-word.ts';
import type { ConfigProblem } from './config-error.ts';
import { expectation, readSetting, type SettingShape } from './read-setting.ts';
import { SETTING_KEYS, Settings } from './settings.ts';

/** Settings that take effect while weir runs when the ConfigMap changes; all others do at the next start. */
export const LIVE_SETTINGS: ReadonlySet<string> = new Set(['log-level']);
/** What says where the ConfigMap is can't stand in it. */
const BEFORE: ReadonlySet<string> = new Set(['manifests', 'kubeconfig', 'context', 'configmap']);
const PROPERTIES = Settings.properties as Readonly<Record<string, TSchema>>;

export interface ConfigMapLayer {
  /** Settings that are good, by key. */
  readonly values: Readonly<Record<string, unknown>>;
  /** One for each that isn't; `place` is its field: `data.http-port`. */
  readonly problems: readonly ConfigProblem[];
}

/** Reads a ConfigMap's data. A bad key keeps the value that it had in `last`. */
export function readConfigMapLayer(data: unknown, last: Readonly<Record<string, unknown>> = {}): ConfigMapLayer {
  const values: Record<string, unknown> = {};
  const problems: ConfigProblem[] = [];
  for (const [key, raw] of Object.entries((data ?? {}) as Readonly<Record<string, unknown>>)) {
    const place = `data.${key}`;
    const schema = BEFORE.has(key) ? undefined : PROPERTIES[key];
    if (schema === undefined) {
      problems.push({ key, place, ...unusable(key) });
      continue;
    }
    const read = readSetting(schema, raw);
    if ('value' in read) {
      values[key] = read.value;
      continue;
    }
    if (key in last) values[key] = last[key];
    problems.push({ key, place, message: read.error, remedy: `Give ${expectation(schema as SettingShape)}.` });
  }
  return { values, problems };
}

function unusable(key: string): Pick<ConfigProblem, 'message' | 'remedy'> {
  if (BEFORE.has(key)) return { message: `${key} can not be set in a ConfigMap.`, remedy: 'Give it as a flag.' };
  const near = nearestWord(key, SETTING_KEYS);
  return {
    message: `unknown setting ${JSON.stringify(key)}.`,
    remedy: near === undefined ? 'docs/reference/config.md lists all settings.' : `Did you mean \`${near}\`?`,
  };
}
