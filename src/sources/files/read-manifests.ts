import { text as textOfStream } from 'node:stream/consumers';
import type { Finding } from '../../diagnostics/finding.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import { fileFinding } from './file-finding.ts';
import { FindingLocator } from './finding-locator.ts';
import { nameFindings } from './folder-findings.ts';
import { ManifestIndex } from './manifest-index.ts';
import { manifestRoots } from './manifest-roots.ts';
import { ManifestTree } from './manifest-tree.ts';
import { ManifestsUnavailable } from './manifests-unavailable.ts';
import { type Manifest, readManifest } from './read-manifest.ts';

/** Manifests read once. */
export interface ReadManifests {
  /** Only puts. */
  readonly changes: readonly ResourceChange[];
  readonly findings: readonly Finding[];
  /** The finding with line and column of its field. */
  readonly locate: (finding: Finding) => Promise<Finding>;
}

/** How standard input is named in findings. */
const STDIN = '<stdin>';

/**
 * Reads folders and files once, without watching them; `-` is standard input. Rejects with `ManifestsUnavailable` if one
 * of them is missing or unreadable; what is wrong with a file within a folder is a finding.
 */
export async function readManifests(
  paths: readonly string[],
  options: { readonly stdin?: string | AsyncIterable<string | Uint8Array> } = {},
): Promise<ReadManifests> {
  const roots = manifestRoots(paths.filter((path) => path !== '-'));
  const positions = new Map<string, number>();
  const index = new ManifestIndex((file) => positions.get(file) ?? 0);
  const texts = new Map<string, string>();
  const ofNames: Finding[] = [];
  roots.forEach((root, position) => {
    const { manifests, findings } = readRoot(root);
    ofNames.push(...findings);
    for (const manifest of manifests) {
      positions.set(manifest.file, position);
      index.replace(manifest);
    }
  });
  if (paths.includes('-')) {
    const { stdin = process.stdin } = options;
    const text = typeof stdin === 'string' ? stdin : await textOfStream(stdin);
    texts.set(STDIN, text);
    positions.set(STDIN, roots.length);
    index.replace(readManifest(STDIN, text));
  }
  const { changes, findings } = index.take();
  const locator = new FindingLocator(texts);
  return {
    changes,
    findings: [...ofNames, ...[...findings.values()].flat()],
    locate: (finding) => locator.locate(finding),
  };
}

function readRoot(root: string): { readonly manifests: readonly Manifest[]; readonly findings: readonly Finding[] } {
  const tree = new ManifestTree(root);
  const { problem } = tree.probe();
  if (problem !== undefined) throw new ManifestsUnavailable(root, problem);
  const files = [...tree.look(root, 'everything').changed].sort();
  const [unreadable] = tree.unreadable();
  if (unreadable !== undefined) throw new ManifestsUnavailable(...unreadable);
  const manifests = files.map((file) => {
    const content = tree.read(file);
    if (content.type === 'text') return readManifest(file, content.text);
    if (file === root) throw new ManifestsUnavailable(file, fileFinding(file, content).message);
    return { ...readManifest(file, ''), findings: [fileFinding(file, content)], broken: true };
  });
  return { manifests, findings: nameFindings(tree) };
}
