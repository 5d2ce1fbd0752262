import { commandLine, processesOf } from '../support/leftover-processes.ts';
import { childrenOf } from './process-figures.ts';

/** The nginx that a weir with this state directory runs. */
export function nginxOf(stateDir: string): { readonly master: number; workers(): readonly number[] } {
  const masters = [...processesOf(stateDir, [])].filter((pid) => commandLine(pid).startsWith('nginx: master'));
  const [master] = masters;
  if (master === undefined || masters.length > 1) {
    throw new Error(`expected one nginx master under ${stateDir}, found ${masters.length}`);
  }
  return { master, workers: () => childrenOf(master).filter((pid) => commandLine(pid).startsWith('nginx: worker')) };
}
