import { getAsset } from 'node:sea';
import { brotliDecompressSync } from 'node:zlib';
import { mapTraces } from './mapped-traces.ts';

/** Verbs that serve until they are told to stop, for which memory counts more than 50 ms at the start. */
const SERVING: ReadonlySet<string> = new Set(['run', 'controller', 'proxy', 'pools', 'workbench']);

/** glibc reads them before any code of ours runs; the same as in bin/weir, for the same reasons. */
const ALLOCATOR = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };

// The entry of the single executable, in place of bin/weir.
const [, , verb = ''] = process.argv;
if (SERVING.has(verb) && process.env.MALLOC_ARENA_MAX === undefined) {
  process.execve!(process.execPath, [process.execPath, ...process.argv.slice(2)], { ...process.env, ...ALLOCATOR });
}
mapTraces('weir.cjs', () => JSON.parse(brotliDecompressSync(getAsset('weir.cjs.map')).toString()));
void import('./main.ts');
