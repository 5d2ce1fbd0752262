import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { identify, isAlive, type ProcessIdentity } from './process-identity.ts';

/**
 * Does `work` while no other process does work under the same lock file; waits for one that does and calls `onWait`
 * once. The file names its owner, so that one which was killed keeps nobody out.
 */
export async function exclusively<T>(
  file: string,
  work: () => Promise<T>,
  onWait: (owner: number) => void = () => undefined,
): Promise<T> {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    const owner = ownerOf(file);
    if (owner === undefined || !isAlive(owner)) {
      removeAbandoned(file);
      continue;
    }
    if (!told) onWait(owner.pid);
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  try {
    return await work();
  } finally {
    rmSync(file, { force: true });
  }
}

/** Makes the file with its content in one step, or finds it there. */
function take(file: string): boolean {
  const own = `${file}.${process.pid}`;
  writeFileSync(own, JSON.stringify(identify(process.pid)));
  try {
    linkSync(own, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    return false;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Takes it aside before removing it: somebody else may have done so, and taken the lock, since it was looked at. */
function removeAbandoned(file: string): void {
  const aside = `${file}.${process.pid}.abandoned`;
  try {
    renameSync(file, aside);
    const owner = ownerOf(aside);
    if (owner !== undefined && isAlive(owner)) linkSync(aside, file);
  } catch {
    // It is gone already, or taken again.
  } finally {
    rmSync(aside, { force: true });
  }
}

function ownerOf(file: string): ProcessIdentity | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as ProcessIdentity;
  } catch {
    return undefined;
  }
}
