import { join } from 'node:path';

/** Names inside the run directory that nginx and the supervisor agree on. */
export function runPaths(run: string): { readonly socket: string; readonly token: string; readonly pid: string } {
  return { socket: join(run, 'control.sock'), token: join(run, 'token'), pid: join(run, 'nginx.pid') };
}
