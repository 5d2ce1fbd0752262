import { dirname, resolve } from 'node:path';
import { Redacted } from '../../lib/redacted.ts';
import type { KubeMaterial } from '../kube-config.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

/** One mapping of a kubeconfig file, with its place for messages. Empty text counts as left out, as kubectl has it. */
export class KubeconfigEntry {
  readonly file: string;
  /** `clusters[prod].cluster`; '' is the whole file. */
  readonly place: string;
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(file: string, place: string, fields: Readonly<Record<string, unknown>>) {
    this.file = file;
    this.place = place;
    this.#fields = fields;
  }

  has(field: string): boolean {
    const value = this.#fields[field];
    return value !== undefined && value !== null && value !== '';
  }

  raw(field: string): unknown {
    return this.#fields[field];
  }

  text(field: string): string | undefined {
    if (!this.has(field)) return undefined;
    const value = this.#fields[field];
    if (typeof value !== 'string') throw this.problem(field, 'must be a string', 'Put the value in quotes.');
    return value;
  }

  flag(field: string): boolean {
    if (!this.has(field)) return false;
    const value = this.#fields[field];
    if (typeof value !== 'boolean')
      throw this.problem(field, 'must be true or false', 'Write true or false, unquoted.');
    return value;
  }

  list(field: string): readonly unknown[] {
    if (!this.has(field)) return [];
    const value = this.#fields[field];
    if (!Array.isArray(value)) throw this.problem(field, 'must be a list', 'Write one entry a line, each after "- ".');
    return value;
  }

  entry(field: string): KubeconfigEntry | undefined {
    if (!this.has(field)) return undefined;
    const value = this.#fields[field];
    if (!isMapping(value)) throw this.problem(field, 'must be a mapping', 'Write its fields indented below it.');
    return new KubeconfigEntry(this.file, this.#placeOf(field), value);
  }

  /** `FIELD-data` in base64, else the file that `FIELD` names (relative to the kubeconfig), as kubectl prefers them. */
  material(field: string): KubeMaterial | undefined {
    const data = this.text(`${field}-data`);
    if (data !== undefined) {
      const bare = data.replace(/\s+/g, '');
      if (!/^[A-Za-z0-9+/]+={0,2}$/.test(bare) || bare.length % 4 === 1) {
        throw this.problem(
          `${field}-data`,
          'is not base64',
          `Encode the PEM text with base64, or name its file in ${field}.`,
        );
      }
      return { data: new Redacted(Buffer.from(bare, 'base64').toString('utf8')) };
    }
    const file = this.text(field);
    return file === undefined ? undefined : { file: this.fileOf(file) };
  }

  /** Relative names are relative to the file that holds them. */
  fileOf(name: string): string {
    return resolve(dirname(this.file), name);
  }

  problem(field: string, what: string, remedy: string): KubeconfigError {
    return new KubeconfigError(`${this.file}: ${this.#placeOf(field)} ${what}`, remedy);
  }

  #placeOf(field: string): string {
    return this.place === '' ? field : `${this.place}.${field}`;
  }
}

export function isMapping(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
