import { hash } from 'node:crypto';
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import { trimmed } from '../../lib/trimmed.ts';
import { type Place, resourceKey } from '../../snapshot/resource.ts';
import { BoundedFindings } from './bounded-findings.ts';
import type { ManifestObject } from './manifest-object.ts';
import { MANIFEST_LIMITS } from './manifest-limits.ts';
import { parseDocument, type ParseFailure } from './parse-document.ts';
import { fileOrigin, readObjects } from './read-objects.ts';
import { type DocumentText, splitDocuments } from './split-documents.ts';

/** A manifest file as it was last read. Holds no text, only what is needed to see what changed. */
export interface Manifest {
  readonly file: string;
  /** What the file gives now, in its order. */
  readonly resources: readonly ManifestObject[];
  readonly findings: readonly Finding[];
  /** Whether `resources` come from a reading in which every document could be parsed. */
  readonly complete: boolean;
  /** Whether a document of this reading couldn't be parsed. */
  readonly broken: boolean;
  /** Whether some of `resources` don't stand in the file any more: what it said before stays in force. */
  readonly held: boolean;
  /** Hash of a document's text → what it held; only documents without findings, of a file that has several. */
  readonly documents: ReadonlyMap<string, readonly ManifestObject[]>;
  readonly endsWithNewline: boolean;
}

/**
 * Reads a manifest file; pure. Documents whose text didn't change aren't parsed again, and an object that
 * didn't change is the same one.
 *
 * A document that can't be parsed costs the file nothing that it gave before: if it was good as a whole once, all of
 * it stays as it then was; if it never was, its good documents count and nothing that it gave disappears. An object
 * that is there but can't be used (too large, outdated version, no name) likewise keeps what it said before.
 */
export function readManifest(file: string, text: string, previous?: Manifest): Manifest {
  const earlier = new Map(previous?.resources.map((resource) => [resourceKey(resource.ref), resource]));
  const resources: ManifestObject[] = [];
  const findings = new BoundedFindings();
  const notReadYet = new Set<string>();
  const kept = new Set<string>();
  let documents: Map<string, readonly ManifestObject[]> | undefined;
  let broken = false;
  // Something is there that can't be told apart from an object given before: nothing may disappear.
  let unidentified = false;

  const parts = splitDocuments(text);
  parts.forEach((document, index) => {
    // Of a file with one document the file's own signature says whether it changed.
    const digest = parts.length === 1 ? undefined : hash('sha256', document.text, 'base64');
    const known = digest === undefined ? undefined : previous?.documents.get(digest);
    if (digest !== undefined && known !== undefined) {
      const moved = known.map((resource) =>
        at(resource, { ...resource.place, file, line: document.line, document: index }),
      );
      (documents ??= new Map()).set(digest, moved);
      resources.push(...moved);
      return;
    }
    if (tooLarge(document)) {
      const size = (document.text.length / 1024 / 1024).toFixed(1);
      const message = `The document is ${size} MiB; the limit is 3 MiB, and 1.5 MiB for an object.`;
      findings.add(finding(SOURCE_FINDINGS.objectTooLarge, fileOrigin({ file, line: document.line }), message));
      unidentified = true;
      return;
    }
    const { values, failure } = parseDocument(document);
    if (failure !== undefined) {
      findings.add(failureFinding(file, failure, previous?.complete === true, parts.length - 1));
      broken = true;
      return;
    }
    const place = { file, line: document.line, document: index };
    const read = values.map((value) => readObjects(value, place));
    const found = read.flatMap((objects) => objects.resources.map(unchanged));
    resources.push(...found);
    const wrong = read.flatMap((objects) => objects.findings);
    for (const each of wrong) {
      // That a kind isn't read yet is said once in a file.
      if (each.code === SOURCE_FINDINGS.notReadYet.code) {
        if (notReadYet.has(each.message)) continue;
        notReadYet.add(each.message);
      }
      findings.add(each);
    }
    for (const ref of read.flatMap((objects) => objects.rejected)) kept.add(resourceKey(ref));
    if (read.some((objects) => objects.unidentified)) unidentified = true;
    if (wrong.length === 0 && digest !== undefined) (documents ??= new Map()).set(digest, found);
  });

  const frozen = broken && previous?.complete === true;
  const given = resources.length;
  const all = frozen ? previous.resources : withKept();
  return {
    file,
    resources: trimmed(all),
    held: frozen || all.length > given,
    findings: findings.all(),
    complete: frozen || !broken,
    broken,
    documents: documents ?? NO_DOCUMENTS,
    endsWithNewline: text.endsWith('\n'),
  };

  function unchanged(resource: ManifestObject): ManifestObject {
    const before = earlier.get(resourceKey(resource.ref));
    return before?.saysSameAs(resource) === true ? at(before, resource.place) : resource;
  }

  function withKept(): readonly ManifestObject[] {
    const all = broken || unidentified;
    if (earlier.size === 0 || (!all && kept.size === 0)) return resources;
    const present = new Set(resources.map((resource) => resourceKey(resource.ref)));
    for (const [key, resource] of earlier) {
      if (!present.has(key) && (all || kept.has(key))) resources.push(resource);
    }
    return resources;
  }
}

/** The resource at this place. */
function at(resource: ManifestObject, place: Place): ManifestObject {
  const before = resource.place;
  const same =
    before.file === place.file &&
    before.line === place.line &&
    before.document === place.document &&
    before.item === place.item;
  return same ? resource : resource.at(place);
}

const NO_DOCUMENTS: ReadonlyMap<string, readonly ManifestObject[]> = new Map();

/** A List may be as large as its file; anything else is refused before it costs the time to parse it. */
function tooLarge(document: DocumentText): boolean {
  if (document.text.length <= MANIFEST_LIMITS.document) return false;
  if (/^\{[ \t]*(?:"apiVersion"[ \t]*:[ \t]*"[^"\n]*"[ \t]*,[ \t]*)?"kind"[ \t]*:[ \t]*"\w*List"/m.test(document.text))
    return false;
  return !/^(?:kind:[ \t]*["']?\w*List\b|[ \t]*"kind"[ \t]*:[ \t]*"\w*List")/m.test(document.text);
}

/** `others`: how many documents the file has besides. */
function failureFinding(file: string, failure: ParseFailure, complete: boolean, others: number): Finding {
  let consequence = others === 0 ? '' : ' The other documents of this file count.';
  if (complete) consequence = ' The objects last read from this file stay in force.';
  const message = `The document cannot be read: ${failure.reason}.${consequence}`;
  const placed = finding(failure.entry, fileOrigin({ file, line: failure.line }), message, failure.fix);
  return { ...placed, column: failure.column };
}
