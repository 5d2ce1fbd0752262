import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { licenceTexts } from './licence-texts.ts';

export interface BundledProgram {
  /** One script with all of the program and of the packages it uses. */
  readonly script: string;
  /** Its source map, brotli. */
  readonly map: string;
  /** Licences of all that is in it. */
  readonly licences: string;
}

/** Makes one script of the program; the paths of what it wrote into `directory`. */
export async function bundleProgram(root: string, directory: string): Promise<BundledProgram> {
  const script = join(directory, 'weir.cjs');
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: ['src/cli/executable.ts'],
    outfile: script,
    bundle: true,
    platform: 'node',
    target: 'node26',
    // With a module for its main script, Node could not use V8's code cache, and would start in twice the time.
    format: 'cjs',
    supported: { 'dynamic-import': false },
    // Names stay, so that a trace can be read and classes keep theirs.
    minifyWhitespace: true,
    minifySyntax: true,
    keepNames: false,
    sourcemap: 'external',
    sourcesContent: false,
    sourceRoot: '',
    legalComments: 'none',
    metafile: true,
    logLevel: 'error',
    // Where the sources lie: nobody asks inside the executable.
    define: { 'import.meta.dirname': '"/"', 'import.meta.url': '"file:///weir"' },
  });
  const map = JSON.parse(readFileSync(`${script}.map`, 'utf8')) as { sources: string[] };
  map.sources = map.sources.map((source) => source.replace(/^(?:\.\.\/)+/u, ''));
  const packed = join(directory, 'weir.cjs.map.br');
  const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  writeFileSync(packed, brotliCompressSync(JSON.stringify(map), quality));
  const licences = join(directory, 'licences.txt');
  writeFileSync(licences, licenceTexts(root, Object.keys(metafile.inputs)));
  return { script, map: packed, licences };
}
