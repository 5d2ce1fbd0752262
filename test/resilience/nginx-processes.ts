import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine, processesOf } from '../support/leftover-processes.ts';
import type { Weir } from '../support/weir.ts';

export interface NginxPids {
  readonly master: number;
  /** In the order of their ids; without those that are shutting down. */
  readonly workers: readonly number[];
}

/** The nginx of this weir, as the pid file and /proc tell. */
export function nginxPids({ stateDir }: Pick<Weir, 'stateDir'>): NginxPids {
  const master = Number(readFileSync(join(stateDir, 'nginx', 'run', 'nginx.pid'), 'utf8'));
  return { master, workers: childrenCalled(master, 'nginx: worker process') };
}

/** Workers of earlier configurations that finish what they have. */
export function drainingWorkers({ master }: Pick<NginxPids, 'master'>): readonly number[] {
  return childrenCalled(master, 'nginx: worker process is shutting down');
}

function childrenCalled(parent: number, title: string): readonly number[] {
  return childrenOf(parent).filter((pid) => commandLine(pid) === title);
}

/** Processes that belong to a weir, itself apart: by its state directory or its ports. */
export function leftovers(weir: Weir): readonly string[] {
  const pids = [...processesOf(weir.stateDir, [weir.httpPort, weir.httpsPort])].filter((pid) => pid !== weir.pid);
  return pids.map((pid) => `${pid} ${commandLine(pid)}`);
}

function childrenOf(parent: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => parentOf(pid) === parent)
    .sort((a, b) => a - b);
}

function parentOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return undefined;
  }
}
