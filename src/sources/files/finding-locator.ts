import { statSync } from 'node:fs';
import type { Finding } from '../../diagnostics/finding.ts';
import type { Place } from '../../snapshot/resource.ts';
import { locateFinding } from './locate-finding.ts';
import { readFile, signatureOf } from './read-file.ts';
import { type DocumentText, splitDocuments } from './split-documents.ts';

/** Milliseconds for which a file's text is kept after a look into it: findings of a file come in a row. */
const KEEP = 1_000;

interface Text {
  readonly file: string;
  /** Of the file as it was read; undefined for what isn't a file. */
  readonly signature: string | undefined;
  readonly documents: readonly DocumentText[];
}

/** Places findings in the files they are about, as these are now. */
export class FindingLocator {
  readonly #texts: ReadonlyMap<string, string>;
  #last: Text | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** `texts`: content of what isn't a file, by name. */
  constructor(texts: ReadonlyMap<string, string> = new Map()) {
    this.#texts = texts;
  }

  /** `place`: where the object stands now, if that is known better than by the finding. */
  locate(finding: Finding, place?: Place): Finding {
    const { file } = finding;
    if (file === undefined || finding.column !== undefined) return finding;
    if (finding.object.kind === 'Folder') return finding;
    const documents = this.#documents(file);
    if (documents === undefined) return finding;
    return locateFinding(documents, finding, place?.file === file ? place.line : finding.line);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#last = undefined;
  }

  #documents(file: string): readonly DocumentText[] | undefined {
    if (this.#last?.file !== file || this.#last.signature !== this.#signature(file)) {
      this.#last = this.#read(file);
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.close(), KEEP);
      this.#timer.unref();
    }
    return this.#last?.documents;
  }

  #read(file: string): Text | undefined {
    const given = this.#texts.get(file);
    if (given !== undefined) return { file, signature: undefined, documents: splitDocuments(given) };
    const content = readFile(file);
    if (content.type !== 'text') return undefined;
    return { file, signature: content.signature, documents: splitDocuments(content.text) };
  }

  #signature(file: string): string | undefined {
    if (this.#texts.has(file)) return undefined;
    const stats = statSync(file, { throwIfNoEntry: false });
    return stats === undefined ? undefined : signatureOf(stats);
  }
}
