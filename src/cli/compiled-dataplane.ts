import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isSea } from 'node:sea';
import type { DataplaneBuild } from '../drivers/nginx/nginx-options.ts';
import { CodedError } from '../lib/coded-error.ts';
import { embeddedDataplane } from './embedded-dataplane.ts';

/**
 * The program that runs inside nginx, compiled from TypeScript to Lua. The single executable holds it. Where its sources
 * and the compiler are, it is compiled unless it was; elsewhere it came with weir.
 */
export async function compiledDataplane(): Promise<DataplaneBuild> {
  if (isSea()) return embeddedDataplane();
  const root = join(import.meta.dirname, '..', '..');
  const compiler = join(root, 'tools', 'build-dataplane.ts');
  if (globSync(compiler).length > 0) {
    const { buildDataplane } = (await import(compiler)) as typeof import('../../tools/build-dataplane.ts');
    return buildDataplane();
  }
  const [stamp] = globSync(join(root, 'build', 'dataplane', '*', '.hash'));
  if (stamp !== undefined) return { dir: dirname(stamp), hash: basename(dirname(stamp)) };
  throw new CodedError(
    'dataplane-missing',
    `the program for nginx is missing from ${join(root, 'build', 'dataplane')}.`,
    {
      remedy: 'Install weir again.',
    },
  );
}
