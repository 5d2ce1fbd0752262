import { ANNOTATION_FINDINGS } from '../../../diagnostics/annotations.ts';
import { type CatalogueEntry, finding } from '../../../diagnostics/catalogue.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Origin } from '../../../model/origin.ts';
import { annotationField } from '../../../snapshot/field-path.ts';
import type { IngressSettings } from '../settings.ts';
import type { AnnotationKey } from './annotation-key.ts';
import { shown } from './shown.ts';

/** An annotation as it stands in the object. */
export interface WrittenAnnotation {
  /** With its prefix. */
  readonly key: string;
  readonly text: string;
}

/** What the families read the annotations of one Ingress through: parses each value once and reports what is wrong with it. */
export class AnnotationReader {
  readonly #written: ReadonlyMap<string, WrittenAnnotation>;
  readonly #origin: Origin;
  readonly #settings: IngressSettings;
  readonly #findings: Finding[];
  readonly #parsed = new Map<string, { readonly value?: unknown }>();

  /** `written` by name without prefix. Findings are added to `findings`, a closing key to `settings`. */
  constructor(
    written: ReadonlyMap<string, WrittenAnnotation>,
    origin: Origin,
    settings: IngressSettings,
    findings: Finding[],
  ) {
    this.#written = written;
    this.#origin = origin;
    this.#settings = settings;
    this.#findings = findings;
  }

  /** Whether the key is there, with a valid value or not. An empty value counts as absent. */
  has(name: string): boolean {
    const written = this.#written.get(name);
    return written !== undefined && written.text.trim() !== '';
  }

  /** Whether the key is there with a value that can't be used. */
  invalid(key: AnnotationKey<unknown>): boolean {
    return this.has(key.name) && this.value(key) === undefined;
  }

  /** The parsed value; undefined where the key is absent, empty or invalid. */
  value<Value>(key: AnnotationKey<Value>): Value | undefined {
    const before = this.#parsed.get(key.name);
    if (before !== undefined) return before.value as Value | undefined;
    const value = this.#parse(key);
    this.#parsed.set(key.name, { value });
    return value;
  }

  /** A finding at the key, which must be there. */
  report(name: string, entry: CatalogueEntry, message: string, fix?: string): void {
    const written = this.#written.get(name);
    if (written === undefined) throw new Error(`finding about annotation ${name}, which is not there`);
    this.#findings.push(finding(entry, { ...this.#origin, field: annotationField(written.key) }, message, fix));
  }

  /** The key's field, for findings that only a later stage can make. The key must be there. */
  field(name: string): string {
    return annotationField(this.#written.get(name)?.key ?? name);
  }

  /** Every route of the Ingress answers 503 because of this key. The first such key stays. */
  close(name: string): void {
    this.#settings.closed ??= this.#written.get(name)?.key ?? name;
  }

  /** The key's text as it is quoted in findings. */
  shown(name: string): string {
    return shown(this.#written.get(name)?.text ?? '');
  }

  #parse<Value>(key: AnnotationKey<Value>): Value | undefined {
    const text = this.#written.get(key.name)?.text;
    if (text === undefined) return undefined;
    if (text.trim() === '') {
      if (key.restricts?.('') === true) {
        this.report(key.name, ANNOTATION_FINDINGS.emptyRestriction, `${key.name} is empty and restricts nothing.`);
        return undefined;
      }
      this.report(key.name, ANNOTATION_FINDINGS.empty, `The annotation is empty; the default holds: ${key.default}.`);
      return undefined;
    }
    const parsed = key.kind.parse(text);
    if (parsed.ok) return parsed.value;
    const problem = `${shown(text)} ${parsed.problem}`;
    const fix = parsed.fix ?? `Write ${key.kind.grammar}, for example "${key.example}".`;
    if (key.whenInvalid === 'closed') {
      this.report(key.name, ANNOTATION_FINDINGS.invalidValueCloses, `${problem}; the routes answer 503.`, fix);
      this.close(key.name);
    } else if (key.whenInvalid === 'no-canary') {
      this.report(key.name, ANNOTATION_FINDINGS.invalidCanary, `${problem}; nothing goes to the canary by it.`, fix);
    } else {
      this.report(key.name, ANNOTATION_FINDINGS.invalidValue, `${problem}; the default holds: ${key.default}.`, fix);
    }
    return undefined;
  }
}
