import { join } from 'node:path';

/** Where state is kept unless a setting says so: a system service's place for root, the user's own otherwise. */
export function defaultStateDirectory(uid: number, environment: Readonly<Record<string, string | undefined>>): string {
  if (uid === 0) return '/var/lib/weir';
  if (environment.XDG_STATE_HOME) return join(environment.XDG_STATE_HOME, 'weir');
  return join(environment.HOME ?? '/', '.local', 'state', 'weir');
}
