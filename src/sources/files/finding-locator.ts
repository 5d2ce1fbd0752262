import type { Finding } from '../../diagnostics/finding.ts';
import type { Place } from '../../snapshot/resource.ts';
import { locateFinding } from './locate-finding.ts';
import { readFile } from './read-file.ts';
import { type DocumentText, splitDocuments } from './split-documents.ts';

/** Milliseconds for which a file's text is kept after a look into it: findings of a file come in a row. */
const KEEP = 1_000;

/** Places findings in the files they are about, as these are now. */
export class FindingLocator {
  readonly #texts: ReadonlyMap<string, string>;
  #last: { readonly file: string; readonly documents: readonly DocumentText[] } | undefined;
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
    if (this.#last?.file !== file) {
      const text = this.#texts.get(file) ?? textOf(file);
      if (text === undefined) return undefined;
      this.#last = { file, documents: splitDocuments(text) };
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.close(), KEEP);
      this.#timer.unref();
    }
    return this.#last?.documents;
  }
}

function textOf(file: string): string | undefined {
  const content = readFile(file);
  return content.type === 'text' ? content.text : undefined;
}
