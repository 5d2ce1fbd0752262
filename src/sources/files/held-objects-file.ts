import { open, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { decodeCheckedLine, encodeCheckedLine } from '../../lib/checked-line.ts';
import type { Resource } from '../../snapshot/resource.ts';
import { ManifestObject } from './manifest-object.ts';

/** One line of the file. */
export type HeldEntry =
  /** What stays in force of a manifest file. */
  | { readonly file: string; readonly complete: boolean; readonly resources: readonly ManifestObject[] }
  /** The last usable version of an object that says something unusable now. */
  | { readonly object: ManifestObject };

const HEADER = { weir: 'held-objects', version: 1 } as const;

export interface HeldReading {
  readonly entries: readonly HeldEntry[];
  /** What is wrong with the file, for the log. Entries that are whole count all the same. */
  readonly problem?: string;
}

/** Never rejects: whatever is wrong with the file, weir must start. */
export async function readHeldObjects(file: string): Promise<HeldReading> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { entries: [] };
    return { entries: [], problem: `it can't be read (${code})` };
  }
  const [first = '', ...lines] = text.split('\n').filter((line) => line !== '');
  const header = decodeCheckedLine(first) as Partial<typeof HEADER> | undefined;
  if (header?.weir !== HEADER.weir || header.version !== HEADER.version) {
    return { entries: [], problem: `its first line is torn or damaged, or it was written by another weir` };
  }
  const read = lines.map((line) => entryOf(decodeCheckedLine(line) as WrittenEntry | undefined));
  const entries = read.filter((entry) => entry !== undefined);
  if (entries.length === read.length) return { entries };
  return { entries, problem: `${read.length - entries.length} of its ${read.length} entries are torn or damaged` };
}

/**
 * Puts a new file in the old one's place, so that a crash leaves either; no file where nothing is held. Secrets are
 * among the objects, as they stand in the manifests: only the owner may read it.
 */
export async function writeHeldObjects(file: string, entries: readonly HeldEntry[]): Promise<void> {
  if (entries.length === 0) {
    await rm(file, { force: true });
  } else {
    const beside = `${file}.new`;
    // Left behind by a crash, it might be readable by others.
    await rm(beside, { force: true });
    try {
      const handle = await open(beside, 'wx', 0o600);
      try {
        await handle.writeFile([HEADER, ...entries].map(encodeCheckedLine).join(''));
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await rename(beside, file);
    } catch (error) {
      // On a full disk half a file would take the room of others.
      await rm(beside, { force: true });
      throw error;
    }
  }
  const directory = await open(path.dirname(file), 'r');
  await directory.sync().finally(() => directory.close());
}

/** An entry as it stands in the file: `ManifestObject.toJSON` writes what `ManifestObject.from` reads. */
type WrittenEntry =
  | { readonly file: string; readonly complete: boolean; readonly resources: readonly Required<Resource>[] }
  | { readonly object: Required<Resource> };

function entryOf(written: WrittenEntry | undefined): HeldEntry | undefined {
  if (written === undefined) return undefined;
  if ('object' in written) return { object: ManifestObject.from(written.object) };
  return { ...written, resources: written.resources.map((resource) => ManifestObject.from(resource)) };
}
