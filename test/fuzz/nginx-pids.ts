import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/scope.ts';

/** Of the master and its workers, when those of former configurations have gone. */
export async function nginxPids(stateDirectory: string, workers: number): Promise<readonly number[]> {
  const read = () => {
    const master = Number(readFileSync(join(stateDirectory, 'run', 'nginx.pid'), 'utf8'));
    const children = readFileSync(`/proc/${master}/task/${master}/children`, 'utf8').trim().split(/\s+/).map(Number);
    return children.length === workers ? [master, ...children.sort((a, b) => a - b)] : undefined;
  };
  return eventually(`${workers} workers`, read, { withinMs: 30_000 });
}
