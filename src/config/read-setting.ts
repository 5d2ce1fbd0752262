import type { TSchema } from 'typebox';
import { Value } from 'typebox/value';

/** What a setting's schema says, as JSON Schema; typebox schemas are that at run time. */
export interface SettingShape {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly const?: string;
  readonly anyOf?: readonly SettingShape[];
  readonly items?: SettingShape;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly default?: unknown;
  readonly placeholder?: string;
  readonly description?: string;
}

/**
 * Reads one setting as it was written: text from a flag or variable, or a YAML value. Text becomes what the schema asks
 * for; a list may be given as one comma-separated text.
 */
export function readSetting(schema: TSchema, raw: unknown): { readonly value: unknown } | { readonly error: string } {
  const shape = schema as SettingShape;
  const value = shape.type === 'array' ? readList(shape, raw) : readScalar(shape, raw);
  return Value.Check(schema, value) ? { value } : { error: `${JSON.stringify(raw)} is not ${expectation(shape)}.` };
}

function readList(shape: SettingShape, raw: unknown): unknown {
  const items = typeof raw === 'string' ? raw.split(',').map((item) => item.trim()) : raw;
  if (!Array.isArray(items)) return raw;
  return items.filter((item) => item !== '').map((item: unknown) => readScalar(shape.items ?? {}, item));
}

function readScalar(shape: SettingShape, raw: unknown): unknown {
  if (typeof raw !== 'string') return raw;
  const text = raw.trim();
  const wants = (type: string) => shape.type === type || (shape.anyOf?.some((option) => option.type === type) ?? false);
  if (wants('integer') && /^[0-9]{1,15}$/.test(text)) return Number(text);
  if (wants('boolean')) {
    if (['true', 'yes', 'on', '1'].includes(text.toLowerCase())) return true;
    if (['false', 'no', 'off', '0'].includes(text.toLowerCase())) return false;
  }
  return text;
}

/** What a value must be, in words: `a whole number from 1 to 65535`. */
export function expectation(shape: SettingShape): string {
  if (shape.enum) return `one of ${shape.enum.join(', ')}`;
  if (shape.const !== undefined) return `\`${shape.const}\``;
  if (shape.anyOf) return shape.anyOf.map(expectation).join(' or ');
  if (shape.type === 'array') return `a list, each ${expectation(shape.items ?? {})}`;
  if (shape.type === 'integer') return `a whole number from ${shape.minimum} to ${shape.maximum}`;
  if (shape.type === 'boolean') return 'true or false';
  return shape.placeholder ? `of the form ${shape.placeholder}` : 'a text';
}
