import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { type Scope, temporaryDirectory } from './scope.ts';

/** A file system of its own in memory, that can be filled to the last block. */
export interface SmallDisk {
  readonly path: string;
  /** For whatever uses the disk: undone before it is unmounted. */
  readonly scope: Scope;
  fill(): void;
  /** Takes away what `fill` wrote. */
  free(): void;
}

/** Undefined where this account may not mount; the reason goes to `tell`. */
export function mountSmallDisk(scope: Scope, size: string, tell: (message: string) => void): SmallDisk | undefined {
  const undos: (() => void | Promise<void>)[] = [];
  let mounted = false;
  let path = '';
  scope.after(async () => {
    for (const undo of undos) await undo();
    if (mounted) execFileSync('umount', [path]);
  });
  path = temporaryDirectory(scope, 'disk');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'weir-test', path], { stdio: 'pipe' });
    mounted = true;
  } catch (error) {
    tell(`NO FILE SYSTEM COULD BE MOUNTED: ${error instanceof Error ? error.message.trim() : String(error)}`);
    return undefined;
  }
  const filler = join(path, 'filler');
  return {
    path,
    scope: { after: (undo) => void undos.push(undo) },
    fill() {
      const file = openSync(filler, 'a');
      try {
        for (;;) writeSync(file, Buffer.alloc(4096));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(file);
      }
    },
    free: () => rmSync(filler, { force: true }),
  };
}
