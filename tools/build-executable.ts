import { execFileSync } from 'node:child_process';
import { copyFileSync, globSync, mkdirSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve } from 'node:path';
import { DATAPLANE_ASSETS } from '../src/cli/embedded-dataplane.ts';
import { buildDataplane } from './build-dataplane.ts';
import { bundleProgram } from './executable/bundle-program.ts';
import { neededLibraries, unexpectedLibraries } from './executable/needed-libraries.ts';

const ROOT = resolve(import.meta.dirname, '..');
const OUTPUT = join(ROOT, 'dist', 'weir');

/**
 * Builds dist/weir: Node itself without its debugging symbols, the whole program as one script with V8's cache of it, and
 * what the program reads: the program for nginx and the map of the sources. Needs nothing of this folder when it runs.
 */
export async function buildExecutable(): Promise<string> {
  const dataplane = await buildDataplane();
  mkdirSync(join(ROOT, 'build'), { recursive: true });
  const scratch = mkdtempSync(join(ROOT, 'build', 'executable.'));
  try {
    const { script, map, licences } = await bundleProgram(ROOT, scratch);
    const node = join(scratch, 'node');
    copyFileSync(process.execPath, node);
    execFileSync('strip', [node]);
    const files = globSync('**', { cwd: dataplane.dir, withFileTypes: true }).filter((entry) => entry.isFile());
    const assets = files.map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return [`${DATAPLANE_ASSETS}${relative(dataplane.dir, path)}`, path] as const;
    });
    assets.push([`${DATAPLANE_ASSETS}.hash`, join(dataplane.dir, '.hash')]);
    assets.sort(([a], [b]) => (a < b ? -1 : 1));
    const made = join(scratch, 'weir');
    const config = {
      // By its bare name, which is what traces show.
      main: basename(script),
      mainFormat: 'commonjs',
      executable: node,
      output: made,
      disableExperimentalSEAWarning: true,
      useCodeCache: true,
      execArgv: ['--title=weir', '--disable-warning=ExperimentalWarning'],
      execArgvExtension: 'env',
      assets: Object.fromEntries([...assets, ['weir.cjs.map', map]]),
    };
    writeFileSync(join(scratch, 'sea.json'), JSON.stringify(config));
    execFileSync(process.execPath, ['--build-sea', join(scratch, 'sea.json')], {
      cwd: scratch,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const strangers = unexpectedLibraries(neededLibraries(made));
    if (strangers.length > 0)
      throw new Error(`dist/weir would need ${strangers.join(', ')}, which no machine has for it.`);
    mkdirSync(join(ROOT, 'dist'), { recursive: true });
    renameSync(licences, `${OUTPUT}.licences.txt`);
    renameSync(made, OUTPUT);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  return OUTPUT;
}

if (import.meta.main) {
  const path = await buildExecutable();
  const needed = neededLibraries(path).join(' ');
  console.log(`${relative(process.cwd(), path)}: ${(statSync(path).size / 1e6).toFixed(1)} MB, links to ${needed}`);
}
