import type { Finding } from '../../diagnostics/finding.ts';
import { resourceKey } from '../../snapshot/resource.ts';
import { locateField } from './locate-field.ts';
import { parseDocument } from './parse-document.ts';
import { readIdentity } from './read-identity.ts';
import { listItems } from './read-objects.ts';
import { type DocumentText, splitDocuments } from './split-documents.ts';

/**
 * The finding with line and column of its field, looked up in the text of its file; the nearest parent where the field
 * is absent. The object is looked for in the document at `line` first, then in the whole file, which may have changed.
 * The finding as it is if its object isn't there.
 */
export function locateFinding(
  file: string | readonly DocumentText[],
  finding: Finding,
  line: number | undefined = finding.line,
): Finding {
  const documents = typeof file === 'string' ? splitDocuments(file) : file;
  const likely = documents.findLast((document) => line !== undefined && document.start <= line);
  const inDocument = likely === undefined ? undefined : locateIn(likely, finding);
  if (inDocument !== undefined) return inDocument;
  if (finding.object.kind === 'File') return finding;
  for (const document of documents) {
    if (document === likely || !document.text.includes(finding.object.name)) continue;
    const found = locateIn(document, finding);
    if (found !== undefined) return found;
  }
  return finding;
}

function locateIn(document: DocumentText, finding: Finding): Finding | undefined {
  const { values } = parseDocument(document);
  if (values === undefined) return undefined;
  for (const [index, value] of values.entries()) {
    const prefix = prefixOf(value, finding);
    if (prefix === undefined) continue;
    const field = [prefix, finding.field].filter((part) => part !== '').join('.');
    if (field === '') return { ...finding, line: document.line, column: 1 };
    const found = locateField(document.text, field, index);
    if (found !== undefined) return { ...finding, line: document.start + found.line - 1, column: found.column };
  }
  return undefined;
}

/** Path of the finding's object in the value: '' if it is the value itself. */
function prefixOf(value: unknown, finding: Finding): string | undefined {
  if (finding.object.kind === 'File') return '';
  const key = resourceKey(finding.object);
  const isIt = (object: unknown): boolean => {
    const identity = readIdentity(object);
    return 'ref' in identity && resourceKey(identity.ref) === key;
  };
  if (isIt(value)) return '';
  const item = listItems(value)?.findIndex(isIt) ?? -1;
  return item === -1 ? undefined : `items[${item}]`;
}
