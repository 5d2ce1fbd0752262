import type { TSchema } from 'typebox';
import { LineCounter, isMap, parseDocument } from 'yaml';
import { nearestWord } from '../lib/nearest-word.ts';
import { ConfigError, type ConfigProblem } from './config-error.ts';
import { expectation, readSetting, type SettingShape } from './read-setting.ts';
import type { ServingCommand } from './setting-commands.ts';
import { type SettingKey, Settings } from './settings.ts';
import { defaultStateDirectory } from './state-directory.ts';

export interface SettingSources {
  /** As they were given, by key: text, a list of texts, or true. */
  readonly flags: Readonly<Record<string, unknown>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** weir.yaml: its name for messages, and its text. */
  readonly file?: { readonly name: string; readonly text: string };
  /** Good values from elsewhere, by key, for settings that none of these gives. */
  readonly fallback?: Readonly<Record<string, unknown>>;
  readonly uid: number;
}

interface Given {
  readonly key: string;
  readonly place: string;
  readonly raw: unknown;
}

/** Variables that are about the command itself and not settings. */
const OTHER_VARIABLES = new Set(['WEIR_CONFIG', 'WEIR_ADMIN']);
/** What Kubernetes puts into every container of a namespace that has a Service called `weir` or `weir-…`. */
const SERVICE_LINK = /_SERVICE_HOST$|_SERVICE_PORT(_[A-Z0-9_]+)?$|_PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?$/;
const PROPERTIES = Settings.properties as Readonly<Record<string, TSchema>>;

/** `http-port` → `WEIR_HTTP_PORT` */
export function variableName(key: string): string {
  return `WEIR_${key.toUpperCase().replaceAll('-', '_')}`;
}

/** The settings in force: flags before environment before file before defaults. Throws a ConfigError that names all that is wrong. */
export function loadSettings(sources: SettingSources, command: ServingCommand = 'run'): Settings {
  const problems: ConfigProblem[] = [];
  const values: Record<string, unknown> = {};
  const layers = [fromFile(sources.file, problems), fromEnvironment(sources.environment), fromFlags(sources.flags)];
  for (const { key, place, raw } of layers.flat()) {
    const schema = PROPERTIES[key];
    if (schema === undefined) {
      problems.push(unknownKey(key, place));
      continue;
    }
    const read = readSetting(schema, raw);
    if ('value' in read) values[key] = read.value;
    else problems.push({ key, place, message: read.error, remedy: `Give ${expectation(schema as SettingShape)}.` });
  }
  if (problems.length > 0) throw new ConfigError(problems);
  for (const [key, schema] of Object.entries(PROPERTIES))
    values[key] ??= sources.fallback?.[key] ?? (schema as SettingShape).default;
  if (values['http-port'] === values['https-port']) {
    const place = 'settings http-port and https-port';
    throw new ConfigError([
      { key: 'https-port', place, message: `both are ${String(values['https-port'])}.`, remedy: 'Give two ports.' },
    ]);
  }
  values['state-dir'] ??= defaultStateDirectory(sources.uid, sources.environment, command);
  return values as Settings;
}

function fromFlags(flags: SettingSources['flags']): Given[] {
  return Object.entries(flags)
    .filter(([, raw]) => raw !== undefined)
    .map(([key, raw]) => ({ key, place: `flag --${key}`, raw }));
}

function fromEnvironment(environment: SettingSources['environment']): Given[] {
  return Object.entries(environment)
    .filter(([name, value]) => name.startsWith('WEIR_') && value !== undefined && !OTHER_VARIABLES.has(name))
    .filter(([name]) => keyOfVariable(name) in PROPERTIES || !SERVICE_LINK.test(name))
    .map(([name, raw]) => ({ key: keyOfVariable(name), place: `environment ${name}`, raw }));
}

function keyOfVariable(name: string): string {
  return name.slice('WEIR_'.length).toLowerCase().replaceAll('_', '-');
}

function fromFile(file: SettingSources['file'], problems: ConfigProblem[]): Given[] {
  if (file === undefined) return [];
  const lines = new LineCounter();
  const document = parseDocument(file.text, { lineCounter: lines });
  const at = (offset: number | undefined) => `${file.name}:${lines.linePos(offset ?? 0).line}`;
  for (const error of document.errors) {
    const message = error.message.split('\n')[0]!;
    problems.push({
      key: '',
      place: at(error.pos[0]),
      message: `not readable as YAML: ${message}.`,
      remedy: 'Mend the file.',
    });
  }
  if (document.errors.length > 0 || document.contents === null) return [];
  if (!isMap(document.contents)) {
    problems.push({ key: '', place: at(0), message: 'not a mapping.', remedy: 'Write one `key: value` a line.' });
    return [];
  }
  return document.contents.items.map((pair) => {
    const key = pair.key as { value?: unknown; range?: readonly [number, number, number] | null };
    const value = pair.value as { toJSON?: () => unknown } | null;
    return { key: String(key.value), place: at(key.range?.[0]), raw: value?.toJSON?.() ?? null };
  });
}

function unknownKey(key: string, place: string): ConfigProblem {
  const near = nearestWord(key, Object.keys(PROPERTIES) as SettingKey[]);
  const shown = place.startsWith('environment') && near !== undefined ? variableName(near) : near;
  return {
    key,
    place,
    message: `unknown setting ${JSON.stringify(key)}.`,
    remedy: near === undefined ? 'docs/reference/config.md lists all settings.' : `Did you mean \`${shown}\`?`,
  };
}
