import { readFile } from 'node:fs/promises';
import { load } from 'js-yaml';
import { isMapping, KubeconfigEntry } from './kubeconfig-entry.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

/** The file's fields; undefined if there is no such file. */
export async function readKubeconfigFile(file: string): Promise<KubeconfigEntry | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(
      `${file}: can not be read: ${(error as Error).message}`,
      'Give weir a kubeconfig that its user may read.',
      error,
    );
  }
  let document: unknown;
  try {
    document = load(text);
  } catch (error) {
    // The parser's message would quote lines, and a kubeconfig is full of secrets.
    throw new KubeconfigError(
      `${file}: is no valid YAML${lineOf(error)}`,
      `Compare with: kubectl config view --kubeconfig ${file}`,
    );
  }
  if (document === undefined || document === null) return new KubeconfigEntry(file, '', {});
  if (!isMapping(document) || (document.kind !== undefined && document.kind !== 'Config')) {
    throw new KubeconfigError(
      `${file}: is no kubeconfig: it should be a mapping of kind Config`,
      'Name another file with --kubeconfig or KUBECONFIG.',
    );
  }
  return new KubeconfigEntry(file, '', document);
}

function lineOf(error: unknown): string {
  const mark = (error as { mark?: { line?: unknown } }).mark;
  return typeof mark?.line === 'number' ? `, line ${mark.line + 1}` : '';
}
