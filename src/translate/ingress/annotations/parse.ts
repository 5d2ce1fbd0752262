import { ANNOTATION_FINDINGS } from '../../../diagnostics/annotations.ts';
import { type CatalogueEntry, finding } from '../../../diagnostics/catalogue.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Origin } from '../../../model/origin.ts';
import { type IngressSettings, defaultSettings } from '../settings.ts';
import type { AnnotationFamily } from './annotation-family.ts';
import { ANNOTATION_PREFIXES, type AnnotationPrefix } from './annotation-key.ts';
import { annotationField } from '../../../snapshot/field-path.ts';
import { AnnotationReader, type WrittenAnnotation } from './annotation-reader.ts';
import { FAMILIES } from './families.ts';
import { KNOWN_KEYS, judgeUnknownKey } from './known-keys.ts';
import { UNSUPPORTED_KEYS, type UnsupportedKey } from './not-yet.ts';
import { shown } from './shown.ts';

export interface ParsedAnnotations {
  readonly settings: IngressSettings;
  /** In the order of their fields. Each has the field `metadata.annotations["KEY"]`. */
  readonly findings: Finding[];
}

const [NGINX_PREFIX, WEIR_PREFIX] = ANNOTATION_PREFIXES;

/**
 * Reads the annotations of one Ingress. Looks only at keys under `nginx.ingress.kubernetes.io/` and `weir.dev/`; of a key
 * that is there with both, weir's counts (one that restricts access counts under either). `origin` names the object, its
 * field is ''. Never throws, whatever the keys and values: also values that are no strings, as a manifest may have them.
 */
export function parseAnnotations(annotations: Readonly<Record<string, string>>, origin: Origin): ParsedAnnotations {
  const settings = defaultSettings();
  const findings: Finding[] = [];
  const own = Object.keys(annotations).filter((key) => prefixOf(key) !== undefined);
  if (own.length === 0) return { settings, findings };

  const written = new Map<string, WrittenAnnotation>();
  const unsupported: WrittenUnsupported[] = [];
  const unknownRestrictions: string[] = [];
  const families = new Set<AnnotationFamily>();
  const contradicted = new Set<string>();
  const report = (key: string, entry: CatalogueEntry, message: string, fix?: string) => {
    findings.push(finding(entry, { ...origin, field: annotationField(key) }, message, fix));
  };
  const close = (key: string) => {
    settings.closed ??= key;
  };

  // Sorted, so that findings don't depend on the order in the manifest; nginx. comes before weir.
  for (const key of own.sort()) {
    const prefix = prefixOf(key)!;
    const name = key.slice(prefix.length);
    const known = KNOWN_KEYS.get(name);
    if (known === undefined) {
      reportUnknown(key, prefix, name, report, () => unknownRestrictions.push(key));
      continue;
    }
    const text: unknown = annotations[key];
    if (typeof text !== 'string') {
      const kind = text === null ? 'null' : typeof text;
      report(key, ANNOTATION_FINDINGS.notText, `The value is not a string but of type ${kind}.`);
      if (known.unsupported?.restrictsAccess === true || known.key?.restricts !== undefined) close(key);
      continue;
    }
    const twin = written.get(name);
    if (twin !== undefined) {
      report(twin.key, ANNOTATION_FINDINGS.writtenTwice, `${key} is there too, and it is the one that holds.`);
      if (twin.text !== text) {
        contradicted.add(name);
        // An empty one restricts nothing, so it can't be the one that is contradicted.
        const restricting = [twin, { key, text }].find(
          (each) => each.text.trim() !== '' && known.key?.restricts?.(each.text) === true,
        );
        if (restricting !== undefined) close(restricting.key);
      }
    }
    const annotation = { key, text };
    written.set(name, annotation);
    if (known.unsupported === undefined) families.add(known.family);
    else unsupported.push({ key: known.unsupported, annotation });
  }

  // Where the prefixes contradict each other, neither can switch a restriction off.
  const other = (name: string) => (contradicted.has(name) ? undefined : written.get(name)?.text);
  reportUnsupported(unsupported, other, report, close);
  for (const key of unknownRestrictions) close(key);

  const read = new AnnotationReader(written, origin, settings, findings);
  for (const family of FAMILIES) {
    if (!families.has(family)) continue;
    if (settings.canary !== undefined && !family.onCanary) reportIgnored(family, read);
    else {
      family.apply(read, settings);
      reportMissing(family, read);
    }
  }
  findings.sort((a, b) => compare(a.field, b.field) || compare(a.code, b.code));
  return { settings, findings };
}

interface WrittenUnsupported {
  readonly key: UnsupportedKey;
  readonly annotation: WrittenAnnotation;
}

type Report = (key: string, entry: CatalogueEntry, message: string, fix?: string) => void;

function prefixOf(key: string): AnnotationPrefix | undefined {
  if (key.startsWith(NGINX_PREFIX)) return NGINX_PREFIX;
  return key.startsWith(WEIR_PREFIX) ? WEIR_PREFIX : undefined;
}

function reportUnknown(
  key: string,
  prefix: AnnotationPrefix,
  name: string,
  report: Report,
  close: (key: string) => void,
): void {
  const { near, restriction } = judgeUnknownKey(name);
  const fix = near === undefined ? undefined : `Did you mean ${prefix}${near}?`;
  if (restriction === undefined) {
    report(key, ANNOTATION_FINDINGS.unknown, `There is no annotation ${shown(name)}; it is ignored.`, fix);
    return;
  }
  report(
    key,
    ANNOTATION_FINDINGS.unknownRestriction,
    `There is no annotation ${shown(name)}, but the name ${restriction}: the routes answer 503.`,
    fix === undefined ? undefined : `${fix} Correct the name, or remove the annotation if no restriction is meant.`,
  );
  close(key);
}

/** Of the keys of one family that restrict access the first in its table is told about, and names the others. */
function reportUnsupported(
  unsupported: readonly WrittenUnsupported[],
  other: (name: string) => string | undefined,
  report: Report,
  close: (key: string) => void,
): void {
  const closing = new Map<string, [WrittenUnsupported, ...WrittenUnsupported[]]>();
  for (const each of [...unsupported].sort((a, b) => tablePlace(a) - tablePlace(b))) {
    const { key, annotation } = each;
    const empty = annotation.text.trim() === '';
    if (empty && key.emptyRestricts !== true) {
      if (key.restrictsAccess) {
        report(annotation.key, ANNOTATION_FINDINGS.emptyRestriction, `${key.name} is empty and restricts nothing.`);
      }
    } else if (!empty && key.off?.(annotation.text, other) === true) {
      // Asks for nothing.
    } else if (key.restrictsAccess) {
      const family = closing.get(key.family);
      if (family === undefined) closing.set(key.family, [each]);
      else family.push(each);
    } else {
      report(
        annotation.key,
        ANNOTATION_FINDINGS.notSupported,
        `${key.name} is not supported yet; the routes are served without it.`,
      );
    }
  }
  for (const family of closing.values()) {
    const [{ key, annotation }] = family;
    const others = [...new Set(family.map((each) => each.key.name))].slice(1);
    const besides = others.length === 0 ? '' : ` (and with it ${others.join(', ')})`;
    const message = `${key.name}${besides} restricts access and is not supported yet: the routes answer 503.`;
    report(annotation.key, ANNOTATION_FINDINGS.restrictionNotSupported, message);
    close(annotation.key);
  }
}

/** In the table the key that says what is restricted stands before those that say how. */
function tablePlace({ key }: WrittenUnsupported): number {
  return UNSUPPORTED_KEYS.indexOf(key);
}

function reportIgnored(family: AnnotationFamily, read: AnnotationReader): void {
  for (const key of family.keys) {
    if (!read.has(key.name)) continue;
    read.report(
      key.name,
      ANNOTATION_FINDINGS.ignoredOnCanary,
      `${key.name} is taken from the main Ingress, not from its canary.`,
    );
  }
}

function reportMissing(family: AnnotationFamily, read: AnnotationReader): void {
  for (const key of family.keys) {
    if (key.needs === undefined || !read.has(key.name) || read.has(key.needs)) continue;
    read.report(
      key.name,
      ANNOTATION_FINDINGS.needsAnother,
      `${key.name} has no effect without ${key.needs}.`,
      `Add ${key.needs}, or remove the annotation.`,
    );
  }
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
