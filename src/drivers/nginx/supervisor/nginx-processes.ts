import { allProcesses, type ProcessInfo } from './process-info.ts';

export interface NginxProcesses {
  readonly master: ProcessInfo | undefined;
  readonly workers: readonly ProcessInfo[];
  /** Workers of earlier configurations that finish what they have. Oldest first. */
  readonly draining: readonly ProcessInfo[];
  /** Workers whose master is gone, and masters that are not the one of the pid file. */
  readonly orphans: readonly ProcessInfo[];
}

/**
 * The nginx processes that were started in this run directory: nginx and its workers keep it as their current directory,
 * which tells them from every other nginx of the machine.
 */
export function nginxProcesses(
  executable: string,
  runDirectory: string,
  masterPid: number | undefined,
): NginxProcesses {
  const own = allProcesses()
    .filter((process) => process.executable === executable && process.directory === runDirectory)
    .sort((a, b) => a.startTime - b.startTime || a.pid - b.pid);
  const master = own.find(({ pid }) => pid === masterPid);
  const children = own.filter(({ parent }) => master !== undefined && parent === master.pid);
  const isDraining = ({ title }: ProcessInfo) => title.includes('shutting down');
  return {
    master,
    workers: children.filter((process) => !isDraining(process)),
    draining: children.filter(isDraining),
    orphans: own.filter((process) => process !== master && !children.includes(process)),
  };
}
