import { join } from 'node:path';
import type { ServingCommand } from './setting-commands.ts';

/** Where state is kept unless a setting says so: a system service's place for root, the user's own otherwise. */
export function defaultStateDirectory(
  uid: number,
  environment: Readonly<Record<string, string | undefined>>,
  command: ServingCommand,
): string {
  const own = ownDirectory(uid, environment);
  // Beside a proxy on the same machine, which goes on with what `weir run` has left.
  return command === 'controller' ? join(own, 'controller') : own;
}

function ownDirectory(uid: number, environment: Readonly<Record<string, string | undefined>>): string {
  if (uid === 0) return '/var/lib/weir';
  if (environment.XDG_STATE_HOME) return join(environment.XDG_STATE_HOME, 'weir');
  return join(environment.HOME ?? '/', '.local', 'state', 'weir');
}
