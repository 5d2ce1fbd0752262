import { allProcesses, type ProcessInfo } from './process-info.ts';

export interface NginxProcesses {
  readonly master: ProcessInfo | undefined;
  /** All, also those that aren't the one of the pid file. Oldest first. */
  readonly masters: readonly ProcessInfo[];
  readonly workers: readonly ProcessInfo[];
  /** Workers of earlier configurations that finish what they have. Oldest first. */
  readonly draining: readonly ProcessInfo[];
  /** Workers whose master is gone, and masters that are not the one of the pid file. */
  readonly orphans: readonly ProcessInfo[];
}

/**
 * The nginx processes that were started in this run directory: nginx and its workers keep it as their current directory,
 * which tells them from every other nginx of the machine. The pid file may be wrong or gone: then the youngest master is
 * taken for the master.
 */
export function nginxProcesses(
  executable: string,
  runDirectory: string,
  masterPid: number | undefined,
): NginxProcesses {
  const own = allProcesses()
    .filter(({ directory }) => directory === runDirectory)
    .filter((process) => process.executable === executable || process.title.startsWith('nginx: '))
    .sort((a, b) => a.startTime - b.startTime || a.pid - b.pid);
  const masters = own.filter((process) => isMaster(process) && !own.some(({ pid }) => pid === process.parent));
  const master = masters.find(({ pid }) => pid === masterPid) ?? masters.at(-1);
  const children = own.filter(({ parent }) => master !== undefined && parent === master.pid);
  const isDraining = ({ title }: ProcessInfo) => title.includes('shutting down');
  return {
    master,
    masters,
    workers: children.filter((process) => !isDraining(process)),
    draining: children.filter(isDraining),
    orphans: own.filter((process) => process !== master && !children.includes(process)),
  };
}

/** What only tests a configuration calls itself otherwise; a worker calls itself so for a moment after its fork. */
function isMaster({ title }: ProcessInfo): boolean {
  return title.startsWith('nginx: master process');
}
