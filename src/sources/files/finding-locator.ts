import { statSync } from 'node:fs';
import type { Finding } from '../../diagnostics/finding.ts';
import type { Place } from '../../snapshot/resource.ts';
import { DocumentPlaces } from './document-places.ts';
import { FilePlaces, type PlacedFinding } from './file-places.ts';
import { Pause } from './pause.ts';
import { readFile, signatureOf } from './read-file.ts';
import type { DocumentText } from './split-documents.ts';

/** Milliseconds for which a file's text is kept after a look into it: findings of a file come in a row. */
const KEEP = 1_000;

interface Text {
  readonly file: string;
  /** Of the file as it was read; undefined for what isn't a file. */
  readonly signature: string | undefined;
  readonly places: FilePlaces;
}

interface Wanted extends PlacedFinding {
  readonly resolve: (located: Finding) => void;
}

/**
 * Places findings in the files they are about, as these are now. What is asked for in one turn is placed together, file
 * by file and document by document, and others run in between.
 */
export class FindingLocator {
  readonly #texts: ReadonlyMap<string, string>;
  readonly #parse: (document: DocumentText) => DocumentPlaces;
  #last: Text | undefined;
  #timer: NodeJS.Timeout | undefined;
  #wanted = new Map<string, Wanted[]>();
  #working = false;

  /** `texts`: content of what isn't a file, by name. */
  constructor(
    texts: ReadonlyMap<string, string> = new Map(),
    parse = (document: DocumentText) => new DocumentPlaces(document),
  ) {
    this.#texts = texts;
    this.#parse = parse;
  }

  /** `place`: where the object stands now, if that is known better than by the finding. Never rejects. */
  locate(finding: Finding, place?: Place): Promise<Finding> {
    const { file } = finding;
    if (file === undefined || finding.column !== undefined || finding.object.kind === 'Folder')
      return Promise.resolve(finding);
    const { promise, resolve } = Promise.withResolvers<Finding>();
    const ofFile = this.#wanted.get(file) ?? [];
    this.#wanted.set(file, ofFile);
    ofFile.push({ finding, line: place?.file === file ? place.line : finding.line, resolve });
    if (!this.#working) void this.#work();
    return promise;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#last = undefined;
  }

  async #work(): Promise<void> {
    this.#working = true;
    // Until all is told that is asked for in this turn.
    await Promise.resolve();
    const pause = new Pause();
    while (this.#wanted.size > 0) {
      const files = this.#wanted;
      this.#wanted = new Map();
      for (const [file, wanted] of files) {
        const located = await this.#locateIn(file, wanted);
        wanted.forEach(({ finding, resolve }, at) => resolve(located[at] ?? finding));
        await pause.after();
      }
    }
    this.#working = false;
  }

  /** Nothing where the file can't be looked into: the findings say enough without. */
  async #locateIn(file: string, wanted: readonly Wanted[]): Promise<readonly Finding[]> {
    try {
      return (await this.#placesIn(file)?.locate(wanted)) ?? [];
    } catch {
      return [];
    }
  }

  #placesIn(file: string): FilePlaces | undefined {
    if (this.#last?.file !== file || this.#last.signature !== this.#signature(file)) {
      this.#last = this.#read(file);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.close(), KEEP);
      this.#timer.unref();
    }
    return this.#last?.places;
  }

  #read(file: string): Text | undefined {
    const given = this.#texts.get(file);
    if (given !== undefined) return { file, signature: undefined, places: new FilePlaces(given, this.#parse) };
    const content = readFile(file);
    if (content.type !== 'text') return undefined;
    return { file, signature: content.signature, places: new FilePlaces(content.text, this.#parse) };
  }

  #signature(file: string): string | undefined {
    if (this.#texts.has(file)) return undefined;
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? undefined : signatureOf(stats);
  }
}
