import { type CatalogueEntry, finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { SOURCE_FINDINGS } from '../../diagnostics/sources.ts';
import { BoundedFindings } from './bounded-findings.ts';
import type { ManifestTree } from './manifest-tree.ts';

/** What is known of a folder given by the user. */
export interface FolderState {
  readonly path: string;
  readonly tree: Pick<ManifestTree, 'unreadable' | 'unwatched' | 'unnameable'>;
  readonly problem: string | undefined;
  /** Whether it was ever read. */
  readonly seen: boolean;
}

/** What is wrong with a folder and those below it. `relist`: ms between two looks at one that can't be watched. */
export function folderFindings(root: FolderState, relist: number): Finding[] {
  const { folderUnavailable, notWatched } = SOURCE_FINDINGS;
  const findings: Finding[] = [];
  if (root.problem !== undefined) {
    const kept = root.seen ? 'What was last read from it stays in force.' : 'Nothing was read from it yet.';
    const message = `The manifests in ${root.path} are not available: ${root.problem}. ${kept}`;
    findings.push(about(folderUnavailable, root.path, message));
  }
  for (const [folder, reason] of root.tree.unreadable()) {
    if (folder === root.path) continue;
    const message = `The folder ${folder} cannot be read: ${reason}. What was last read from it stays in force.`;
    findings.push(about(folderUnavailable, folder, message));
  }
  for (const folder of root.tree.unwatched()) {
    const message = `The system refuses to watch ${folder}; weir looks at it every ${relist / 1000} s.`;
    findings.push(about(notWatched, folder, message));
  }
  return [...findings, ...nameFindings(root.tree)];
}

/** About entries of a folder that can't be opened by their names. */
export function nameFindings(tree: Pick<ManifestTree, 'unnameable'>): readonly Finding[] {
  const findings = new BoundedFindings();
  for (const [file, folder] of tree.unnameable()) {
    const message = `${file} is not read, because its name is not UTF-8.`;
    const origin = { object: { kind: 'Folder', namespace: '', name: folder }, field: '', file: folder };
    findings.add(finding(SOURCE_FINDINGS.fileUnreadable, origin, message, 'Rename it.'));
  }
  return findings.all();
}

function about(entry: CatalogueEntry, folder: string, message: string): Finding {
  return finding(entry, { object: { kind: 'Folder', namespace: '', name: folder }, field: '', file: folder }, message);
}
