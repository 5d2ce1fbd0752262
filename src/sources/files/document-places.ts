import type { Finding } from '../../diagnostics/finding.ts';
import { resourceKey } from '../../snapshot/resource.ts';
import { FieldPositions } from './field-positions.ts';
import { parseDocument } from './parse-document.ts';
import { readIdentity } from './read-identity.ts';
import { listItems } from './read-objects.ts';
import type { DocumentText } from './split-documents.ts';

/** Where an object stands in a document. */
interface ObjectPlace {
  /** Number of the document's value. */
  readonly value: number;
  /** Path within the value: '' if the object is the value itself. */
  readonly prefix: string;
}

/** Where the objects of one document and their fields stand in the file. The document is parsed once for all of them. */
export class DocumentPlaces {
  readonly #document: DocumentText;
  readonly #objects = new Map<string, ObjectPlace>();
  readonly #values: number;
  #fields: FieldPositions | undefined;

  constructor(document: DocumentText) {
    this.#document = document;
    const { values = [] } = parseDocument(document);
    this.#values = values.length;
    values.forEach((value, number) => {
      this.#note(value, { value: number, prefix: '' });
      listItems(value)?.forEach((item, index) => this.#note(item, { value: number, prefix: `items[${index}]` }));
    });
  }

  /** `resourceKey`s of the objects in it. */
  keys(): Iterable<string> {
    return this.#objects.keys();
  }

  /** The finding with line and column of its field; undefined if its object isn't here. */
  locate(finding: Finding): Finding | undefined {
    const ofFile = finding.object.kind === 'File' && this.#values > 0;
    const place = ofFile ? { value: 0, prefix: '' } : this.#objects.get(resourceKey(finding.object));
    if (place === undefined) return undefined;
    const field = [place.prefix, finding.field].filter((part) => part !== '').join('.');
    if (field === '') return { ...finding, line: this.#document.line, column: 1 };
    this.#fields ??= new FieldPositions(this.#document.text);
    const found = this.#fields.find(field, place.value);
    if (found === undefined) return undefined;
    return { ...finding, line: this.#document.start + found.line - 1, column: found.column };
  }

  #note(object: unknown, place: ObjectPlace): void {
    const identity = readIdentity(object);
    if (!('ref' in identity)) return;
    const key = resourceKey(identity.ref);
    if (!this.#objects.has(key)) this.#objects.set(key, place);
  }
}
