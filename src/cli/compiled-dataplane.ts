import { globSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { DataplaneBuild } from '../drivers/nginx/nginx-options.ts';
import { CodedError } from '../lib/coded-error.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/**
 * The program that runs inside nginx, compiled from TypeScript to Lua. Where its sources and the compiler are, it is
 * compiled unless it was; elsewhere it came with weir.
 */
export async function compiledDataplane(): Promise<DataplaneBuild> {
  const compiler = join(ROOT, 'tools', 'build-dataplane.ts');
  if (globSync(compiler).length > 0) {
    const { buildDataplane } = (await import(compiler)) as typeof import('../../tools/build-dataplane.ts');
    return buildDataplane();
  }
  const [stamp] = globSync(join(ROOT, 'build', 'dataplane', '*', '.hash'));
  if (stamp !== undefined) return { dir: dirname(stamp), hash: basename(dirname(stamp)) };
  throw new CodedError(
    'dataplane-missing',
    `the program for nginx is missing from ${join(ROOT, 'build', 'dataplane')}.`,
    {
      remedy: 'Install weir again.',
    },
  );
}
