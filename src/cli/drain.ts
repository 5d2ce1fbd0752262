import { setTimeout } from 'node:timers/promises';
import type { DrainView } from '../admin/drain-routes.ts';
import { type AdminOptions, askAdmin } from './admin-client.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { type Terminal, write } from './terminal.ts';

export interface DrainOptions extends AdminOptions {
  readonly cancel?: boolean;
}

/** Longest that one request waits, in seconds. */
const LONGEST_WAIT = 60;

/** Has a running weir let its clients go, and returns when it can be stopped: what a pod's preStop runs. */
export async function drain(terminal: Terminal, options: DrainOptions): Promise<ExitCode> {
  if (options.cancel === true) {
    await askAdmin('/api/v1/drain', options, terminal, 0, 'DELETE');
    await write(terminal.err, 'weir keeps its clients.\n');
    return EXIT.ok;
  }
  for (;;) {
    const path = `/api/v1/drain?wait=${LONGEST_WAIT}`;
    const { secondsLeft = 0, draining } = (await askAdmin(path, options, terminal, LONGEST_WAIT, 'POST')) as DrainView;
    if (!draining) {
      await write(terminal.err, 'The drain was cancelled.\n');
      return EXIT.findings;
    }
    if (secondsLeft === 0) break;
    await setTimeout(Math.min(1, secondsLeft) * 1000);
  }
  await write(terminal.err, 'weir has let its clients go, and can be stopped.\n');
  return EXIT.ok;
}
