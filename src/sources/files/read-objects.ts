import { finding } from '../../diagnostics/catalogue.ts';
import type { CatalogueEntry } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import type { ObjectRef } from '../../model/origin.ts';
import type { Place } from '../../snapshot/resource.ts';
import { isFields } from './is-fields.ts';
import { hasLoneSurrogate } from './lone-surrogate.ts';
import { ManifestObject } from './manifest-object.ts';
import { MANIFEST_LIMITS } from './manifest-limits.ts';
import { readIdentity } from './read-identity.ts';

/** What a document turned out to hold. */
export interface ReadObjects {
  readonly resources: readonly ManifestObject[];
  readonly findings: readonly Finding[];
  /** Objects that are there, but not in a form that can be used: what they said before stays in force. */
  readonly rejected: readonly ObjectRef[];
  /** Whether there is an object of a kind that weir reads, of which it can't be told which one it is. */
  readonly unidentified: boolean;
}

/**
 * The objects of a parsed document, of the kinds that weir reads; other kinds are passed over in silence, but for
 * those of the Gateway API. Lists
 * (`v1 List`, `IngressList`, …) give their items, which inherit kind and apiVersion where they have none.
 */
export function readObjects(value: unknown, place: Place): ReadObjects {
  const resources: ManifestObject[] = [];
  const findings: Finding[] = [];
  const rejected: ObjectRef[] = [];
  let unidentified = false;
  const items = listItems(value);
  if (items === undefined) read(value, place);
  else {
    const { file, line, document } = place;
    items.forEach((item, index) => read(item, { file, line, document, item: index }));
  }
  return { resources, findings, rejected, unidentified };

  function read(object: unknown, at: Place): void {
    const identity = readIdentity(object);
    if (identity.type === 'other') {
      const { notYet } = identity;
      if (notYet !== undefined)
        findings.push(finding(SOURCE_FINDINGS.notReadYet, fileOrigin(at, fieldOf(at, 'kind')), notYet));
      return;
    }
    if (identity.type === 'wrong') {
      if (identity.entry !== SOURCE_FINDINGS.notAnObject) unidentified = true;
      const origin = fileOrigin(at, fieldOf(at, identity.field));
      findings.push(finding(identity.entry, origin, identity.message, identity.fix));
      return;
    }
    if (identity.type === 'outdated') {
      reject(identity.ref, 'apiVersion', SOURCE_FINDINGS.outdatedVersion, identity.message, identity.fix);
      return;
    }
    const text = JSON.stringify(object);
    if (text.length > MANIFEST_LIMITS.object) {
      const size = `${(text.length / 1024 / 1024).toFixed(1)} MiB`;
      reject(identity.ref, '', SOURCE_FINDINGS.objectTooLarge, `The object is ${size}; the limit is 1.5 MiB.`);
      return;
    }
    if (hasLoneSurrogate(text)) {
      const message = 'A text of the object has half of a surrogate pair, which is no character.';
      reject(identity.ref, '', SOURCE_FINDINGS.notUnicode, message);
      return;
    }
    resources.push(ManifestObject.of(identity.ref, object, text, at));

    function reject(ref: ObjectRef, field: string, entry: CatalogueEntry, message: string, fix?: string): void {
      rejected.push(ref);
      findings.push(finding(entry, { object: ref, field, file: at.file, line: at.line }, message, fix));
    }
  }
}

function fieldOf({ item }: Place, field: string): string {
  return item === undefined ? field : `items[${item}].${field}`;
}

/** Origin of a finding about a place that belongs to no object. */
export function fileOrigin(place: Pick<Place, 'file' | 'line'>, field = '') {
  return { object: { kind: 'File', namespace: '', name: place.file }, field, file: place.file, line: place.line };
}

/** The items of a List, or undefined if it is none. */
export function listItems(value: unknown): readonly unknown[] | undefined {
  if (!isFields(value)) return undefined;
  const { kind, items, apiVersion } = value;
  if (typeof kind !== 'string' || !kind.endsWith('List') || !Array.isArray(items)) return undefined;
  if (kind === 'List') return items.flatMap((item) => listItems(item) ?? [item]);
  const inherited = { apiVersion, kind: kind.slice(0, -'List'.length) };
  return items.map((item) => (isFields(item) ? { ...inherited, ...item } : item));
}
