import { loadAll, YAMLException } from 'js-yaml';
import type { CatalogueEntry } from '../../diagnostics/catalogue.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import { expandedSize } from './expanded-size.ts';
import { looksLikeTemplate, RENDER_FIRST } from './helm-template.ts';
import { KUBERNETES_YAML } from './kubernetes-yaml.ts';
import { MANIFEST_LIMITS } from './manifest-limits.ts';
import type { DocumentText } from './split-documents.ts';

/** Why a document can't be read. Never contains text of the document: it may hold a Secret. */
export interface ParseFailure {
  readonly entry: CatalogueEntry;
  /** Place in the file, both from 1. */
  readonly line: number;
  readonly column: number;
  readonly reason: string;
  /** Where something better can be said than the catalogue says. */
  readonly fix?: string;
}

export type ParsedDocument =
  | { readonly values: readonly unknown[]; readonly failure?: undefined }
  | { readonly failure: ParseFailure; readonly values?: undefined };

/** Parses one document. There can be several values where `...` ends a document; none where it is empty. */
export function parseDocument(document: DocumentText): ParsedDocument {
  try {
    const values = loadAll(document.text, { schema: KUBERNETES_YAML });
    if (document.text.includes('&')) {
      const allowed = Math.max(MANIFEST_LIMITS.document, 4 * document.text.length);
      if (expandedSize(values) > allowed) return { failure: aliasFailure(document) };
    }
    return { values: values.filter((value) => value !== null && value !== undefined) };
  } catch (error) {
    if (error instanceof YAMLException) return { failure: syntaxFailure(document, error) };
    throw error;
  }
}

function aliasFailure(document: DocumentText): ParseFailure {
  const reason = 'an alias contains itself, or the aliases expand to many times the size of the document';
  return { entry: SOURCE_FINDINGS.aliases, line: document.line, column: 1, reason };
}

function syntaxFailure(document: DocumentText, error: YAMLException): ParseFailure {
  const duplicate = error.reason === 'duplicated mapping key';
  return {
    entry: duplicate ? SOURCE_FINDINGS.duplicateField : SOURCE_FINDINGS.syntax,
    line: document.start + (error.mark?.line ?? 0),
    column: (error.mark?.column ?? 0) + 1,
    // `message` would quote the lines around the mistake.
    ...(duplicate ? { reason: 'the same field is given twice' } : syntaxReason(error.reason)),
    ...(looksLikeTemplate(document.text) ? { fix: RENDER_FIRST } : {}),
  };
}

/** The parser names the place where it can't go on, which for a bracket or quote is after the line with the mistake. */
function syntaxReason(reason: string): Pick<ParseFailure, 'reason' | 'fix'> {
  if (!UNCLOSED.test(reason)) return { reason };
  return {
    reason: `a quote or bracket that was opened before this place is not closed, or a line in it is not indented (${reason})`,
    fix: 'Close the quote or bracket (look at the line above first).',
  };
}

const UNCLOSED =
  /^(?:deficient indentation|missed comma between flow collection entries|unexpected end of the stream.*)$/;
