import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/**
 * Ends what a test's weir left behind: processes whose command line names its state directory (the nginx master) and
 * those that listen on its ports (workers without a master). Nobody else's: the directory and the ports are the test's.
 */
export async function endProcessesOf(stateDir: string, ports: readonly number[]): Promise<void> {
  for (let round = 0; round < 50; round += 1) {
    const left = [...processesOf(stateDir, ports)];
    if (left.length === 0) return;
    for (const pid of left) signal(pid, round < 20 ? 'SIGTERM' : 'SIGKILL');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Process ids of the nginx that belongs to a state directory and these ports. */
export function processesOf(stateDir: string, ports: readonly number[]): ReadonlySet<number> {
  const sockets = listeningSockets(new Set(ports));
  const found = new Set<number>();
  for (const entry of readdirSync('/proc')) {
    const pid = Number(entry);
    if (!Number.isInteger(pid) || pid === process.pid) continue;
    if (commandLine(pid).includes(stateDir) || holdsOne(pid, sockets)) found.add(pid);
  }
  return found;
}

export function commandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
  } catch {
    return '';
  }
}

/** Inodes of sockets that listen (state 0A) on one of these ports. */
function listeningSockets(ports: ReadonlySet<number>): ReadonlySet<string> {
  const inodes = new Set<string>();
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readFileSync(table, 'utf8').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/);
      const port = Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16);
      if (state === '0A' && inode !== undefined && ports.has(port)) inodes.add(inode);
    }
  }
  return inodes;
}

function holdsOne(pid: number, inodes: ReadonlySet<string>): boolean {
  if (inodes.size === 0) return false;
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => {
      const target = readlinkSync(`/proc/${pid}/fd/${fd}`);
      return target.startsWith('socket:[') && inodes.has(target.slice(8, -1));
    });
  } catch {
    return false;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
