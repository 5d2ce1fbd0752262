import type { Finding } from '../../diagnostics/finding.ts';
import { resourceKey } from '../../snapshot/resource.ts';
import { DocumentPlaces } from './document-places.ts';
import { Pause } from './pause.ts';
import { type DocumentText, splitDocuments } from './split-documents.ts';

/** A finding, and the line at which its object is likely to stand. */
export interface PlacedFinding {
  readonly finding: Finding;
  readonly line: number | undefined;
}

/**
 * Places findings in the text of one file. Documents are parsed only where findings stand, each once for all findings
 * of a call; of what was parsed only the last document is kept, since it can be many times as large as its text.
 */
export class FilePlaces {
  readonly #documents: readonly DocumentText[];
  readonly #parse: (document: DocumentText) => DocumentPlaces;
  #last: { readonly index: number; readonly places: DocumentPlaces } | undefined;
  /** By `resourceKey`, the first document that has the object; made when one isn't where it is expected. */
  #documentOf: Map<string, number> | undefined;

  constructor(text: string, parse = (document: DocumentText) => new DocumentPlaces(document)) {
    this.#documents = splitDocuments(text);
    this.#parse = parse;
  }

  /**
   * The findings, in their order, with line and column of their fields; the nearest parent where a field is absent. An
   * object is looked for in the document at its line first, then in the whole file, which may have changed. A finding
   * whose object isn't there stays as it is. Lets others run between documents.
   */
  async locate(wanted: readonly PlacedFinding[]): Promise<Finding[]> {
    const located = wanted.map(({ finding }) => finding);
    const pause = new Pause();
    const strays = await this.#locateIn(
      grouped(wanted.map(({ line }, at) => [this.#documentAt(line), at])),
      located,
      pause,
    );
    const lost = strays.filter((at) => located[at]?.object.kind !== 'File');
    if (lost.length === 0) return located;
    const documentOf = (this.#documentOf ??= await this.#readObjects(pause));
    const found = lost.map((at): [number | undefined, number] => {
      const object = located[at]?.object;
      return [object === undefined ? undefined : documentOf.get(resourceKey(object)), at];
    });
    await this.#locateIn(grouped(found), located, pause);
    return located;
  }

  /** Places what stands in each document; returns what doesn't stand where it should. */
  async #locateIn(
    documents: ReadonlyMap<number | undefined, readonly number[]>,
    located: Finding[],
    pause: Pause,
  ): Promise<number[]> {
    const strays: number[] = [];
    for (const [index, wanted] of documents) {
      const places = index === undefined ? undefined : this.#places(index);
      for (const at of wanted) {
        const finding = located[at];
        const found = finding === undefined ? undefined : places?.locate(finding);
        if (found === undefined) strays.push(at);
        else located[at] = found;
        await pause.after();
      }
    }
    return strays;
  }

  async #readObjects(pause: Pause): Promise<Map<string, number>> {
    const documentOf = new Map<string, number>();
    for (const index of this.#documents.keys()) {
      for (const key of this.#places(index)?.keys() ?? []) if (!documentOf.has(key)) documentOf.set(key, index);
      await pause.after();
    }
    return documentOf;
  }

  #places(index: number): DocumentPlaces | undefined {
    const document = this.#documents[index];
    if (document === undefined) return undefined;
    if (this.#last?.index !== index) this.#last = { index, places: this.#parse(document) };
    return this.#last.places;
  }

  /** The last document that begins at the line or before it. */
  #documentAt(line: number | undefined): number | undefined {
    if (line === undefined) return undefined;
    let low = 0;
    let high = this.#documents.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#documents[middle]?.start ?? 0) <= line) low = middle + 1;
      else high = middle;
    }
    return low === 0 ? undefined : low - 1;
  }
}

function grouped(pairs: readonly (readonly [number | undefined, number])[]): Map<number | undefined, number[]> {
  const groups = new Map<number | undefined, number[]>();
  for (const [group, at] of pairs) {
    const members = groups.get(group);
    if (members === undefined) groups.set(group, [at]);
    else members.push(at);
  }
  return groups;
}
