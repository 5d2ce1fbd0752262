import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Licence texts of weir, of Node, and of the packages that the files `inputs` (relative to `root`) come from. */
export function licenceTexts(root: string, inputs: readonly string[]): string {
  const packages = inputs.flatMap((path) => /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//u.exec(path)?.[1] ?? []);
  const node = `node_modules/node-linux-${process.arch}`;
  const parts = [...new Set(packages)].toSorted().concat(existsSync(join(root, node)) ? [node] : []);
  return ['.', ...parts].map((folder) => licenceText(root, folder)).join(`\n${'-'.repeat(80)}\n\n`);
}

function licenceText(root: string, folder: string): string {
  const about = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Record<string, unknown>;
  const [file] = globSync('{LICEN[SC]E,licen[sc]e,COPYING}*', { cwd: join(root, folder) }).toSorted();
  const text =
    file === undefined ? `Licence: ${String(about.license)}\n` : readFileSync(join(root, folder, file), 'utf8');
  return `${String(about.name)} ${String(about.version)}\n\n${text}`;
}
