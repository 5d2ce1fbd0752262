import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { NginxError } from '../nginx-error.ts';

/** An account as the kernel sees it, with every group it belongs to. */
export interface Account {
  readonly uid: number;
  readonly groups: ReadonlySet<number>;
}

/** Who owns a directory and who may do what in it. */
export interface Ownership {
  readonly uid: number;
  readonly gid: number;
  readonly mode: number;
}

/**
 * Throws where the workers' account can't get to `temp`: nginx would start, and answer 500 to every request whose body
 * doesn't fit in memory. Only a master that is root has workers of another account. `user`: its name.
 */
export function requireWorkerAccess(temp: string, user: string | undefined): void {
  const account = user === undefined ? undefined : accountOf(user);
  if (account === undefined) return;
  const closed = firstClosed(temp, account, statSync);
  // The modes don't tell of access control lists: who is really let in decides.
  if (closed === undefined || canEnter(temp, account)) return;
  throw new NginxError(
    'WEIR_NGINX_WORKER_ACCESS',
    `nginx's workers run as ${user}, who may not pass through ${closed} to ${temp}: request bodies and answers that don't fit in memory would fail with 500. nginx is not started.`,
    { remedy: `Let it pass (chmod o+x ${closed}), or give another directory with --state-dir.` },
  );
}

/** The directory nearest to the root, of `path` and those above it, that the account may not pass through. */
export function firstClosed(
  path: string,
  account: Account,
  ownership: (directory: string) => Ownership,
): string | undefined {
  const parent = dirname(path);
  const above = parent === path ? undefined : firstClosed(parent, account, ownership);
  return above ?? (maySearch(ownership(path), account) ? undefined : path);
}

/** As the kernel decides it: the first of owner, group and others that fits counts alone. */
function maySearch({ uid, gid, mode }: Ownership, account: Account): boolean {
  if (account.uid === 0) return true;
  if (account.uid === uid) return (mode & 0o100) !== 0;
  return (mode & (account.groups.has(gid) ? 0o010 : 0o001)) !== 0;
}

function canEnter(directory: string, { uid, groups }: Account): boolean {
  const [gid] = groups;
  const options = { cwd: '/', stdio: 'ignore', uid, ...(gid === undefined ? {} : { gid }), timeout: 5000 } as const;
  return spawnSync('/bin/sh', ['-c', 'cd "$1"', 'sh', directory], options).status === 0;
}

/** Undefined: it stands in no file of this machine. nginx gives its workers all groups of their account. */
function accountOf(user: string): Account | undefined {
  const [, , uid, gid] = entries('/etc/passwd').find(([name]) => name === user) ?? [];
  if (uid === undefined || gid === undefined) return undefined;
  const further = entries('/etc/group').filter(([, , , members]) => members?.split(',').includes(user));
  return { uid: Number(uid), groups: new Set([Number(gid), ...further.map(([, , id]) => Number(id))]) };
}

function entries(file: string): string[][] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(':'));
}
