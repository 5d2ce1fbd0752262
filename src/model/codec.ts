/**
 * Model ↔ plain data (JSON, YAML): what `weir render --to model` prints and golden files hold. Lists are in canonical
 * order and fields in a fixed one, so that equal models give equal text.
 */
import { CodedError } from '../lib/coded-error.ts';
import { Redacted } from '../lib/redacted.ts';
import { emptyModel, MODEL_TABLES, type Model, type ModelParts, type ModelTable } from './model.ts';
import { compareBackends, compareCertificates, compareHosts, compareL4Routes, compareListeners } from './order.ts';
import { partKey } from './part.ts';
import { checkShape, unknownFields } from './schema-check.ts';

export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/** `redact`: a secret prints as "[redacted]" and can't be read back. `reveal`: as `{$secret: value}`. */
export type SecretsMode = 'reveal' | 'redact';

export interface CodecOptions {
  readonly secrets: SecretsMode;
}

/** The part as plain data. Throws a TypeError for what a model never holds (functions, dates, NaN). */
export function encodePart<Table extends ModelTable>(
  _table: Table,
  part: ModelParts[Table],
  options: CodecOptions,
): Json {
  return encode(part, options.secrets);
}

/** The whole model as plain data; a table without parts is left out. */
export function encodeModel(
  model: Model,
  options: CodecOptions = { secrets: 'redact' },
): { readonly [key: string]: Json } {
  const tables = PRINT_ORDER.map((table): [string, Json] => [
    table,
    sorted(table, model).map((part) => encode(part, options.secrets)),
  ]);
  return Object.fromEntries(tables.filter(([, parts]) => (parts as readonly Json[]).length > 0));
}

/** One thing that is wrong with data that should be a model. `path` is in the data: `hosts[2].routes[0].match`. */
export class DecodeError extends CodedError {
  readonly path: string;

  constructor(path: string, what: string) {
    super('model-unreadable', `${path === '' ? 'the part' : path}: ${what}`);
    this.name = 'DecodeError';
    this.path = path;
  }
}

/** Reads a part that `encodePart` made, or that was written by hand. Throws a DecodeError that names the field. */
export function decodePart<Table extends ModelTable>(table: Table, json: unknown, at = ''): ModelParts[Table] {
  const part = restore(json, at);
  const [problem] = checkShape(table, part);
  if (problem !== undefined) throw new DecodeError(join(at, problem.path), problem.what);
  const [unknown] = unknownFields(table, part);
  if (unknown !== undefined) throw new DecodeError(join(at, unknown), 'is not a field of the model');
  return part as ModelParts[Table];
}

/** Reads what `encodeModel` made with revealed secrets. Checks shapes and keys; `validateModel` checks what it means. */
export function decodeModel(json: unknown): Model {
  if (!isFields(json)) throw new DecodeError('', 'a model is an object of tables');
  for (const key of Object.keys(json)) {
    if (!MODEL_TABLES.some((table) => table === key)) {
      throw new DecodeError(key, `is not a table of the model; they are ${MODEL_TABLES.join(', ')}`);
    }
  }
  const model = emptyModel();
  for (const table of MODEL_TABLES) decodeTable(model, table, json[table] ?? []);
  return model;
}

function decodeTable<Table extends ModelTable>(model: Model, table: Table, parts: unknown): void {
  if (!Array.isArray(parts)) throw new DecodeError(table, 'must be a list');
  const target = model[table] as Map<string, ModelParts[Table]>;
  for (const [index, json] of parts.entries()) {
    const at = `${table}[${index}]`;
    const part = decodePart(table, json, at);
    const key = partKey(table, part);
    if (target.has(key)) throw new DecodeError(at, `there is another one with the key "${key}"`);
    target.set(key, part);
  }
}

/** As a reader wants them: what is asked first comes first. */
const PRINT_ORDER = [
  'listeners',
  'hosts',
  'l4Routes',
  'backends',
  'certificates',
] as const satisfies readonly ModelTable[];

function sorted(table: ModelTable, model: Model): readonly unknown[] {
  switch (table) {
    case 'listeners':
      return [...model.listeners.values()].sort(compareListeners);
    case 'hosts':
      return [...model.hosts.values()].sort(compareHosts);
    case 'l4Routes':
      return [...model.l4Routes.values()].sort(compareL4Routes);
    case 'backends':
      return [...model.backends.values()].sort(compareBackends);
    case 'certificates':
      return [...model.certificates.values()].sort(compareCertificates);
  }
}

/** What tells a reader which thing it is comes first, where it came from last, all else by name. */
const FIRST = ['id', 'name', 'scope', 'hostname', 'type', 'kind', 'match', 'filters', 'action'];
const LAST = ['origin', 'origins'];

function rank(key: string): number {
  const first = FIRST.indexOf(key);
  if (first >= 0) return first;
  return LAST.includes(key) ? FIRST.length + 1 : FIRST.length;
}

function encode(value: unknown, secrets: SecretsMode): Json {
  if (value instanceof Redacted) return secrets === 'reveal' ? { [SECRET]: value.reveal() } : value.toString();
  if (Array.isArray(value)) return value.map((item) => encode(item, secrets));
  if (isFields(value)) {
    const keys = Object.keys(value).filter((key) => value[key] !== undefined);
    keys.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
    return Object.fromEntries(keys.map((key) => [key, encode(value[key], secrets)]));
  }
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(`a model can't hold a ${typeof value}`);
}

const SECRET = '$secret';

function restore(value: unknown, at: string): unknown {
  if (Array.isArray(value)) return value.map((item, index) => restore(item, `${at}[${index}]`));
  if (!isFields(value)) return value;
  const secret = value[SECRET];
  if (secret !== undefined) {
    if (typeof secret !== 'string' || Object.keys(value).length > 1) {
      throw new DecodeError(at, `a secret is written {${SECRET}: text} and nothing else`);
    }
    return new Redacted(secret);
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, restore(item, join(at, key))]));
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && isPlain(value);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function join(at: string, path: string): string {
  if (at === '' || path === '') return at + path;
  return path.startsWith('[') ? at + path : `${at}.${path}`;
}
