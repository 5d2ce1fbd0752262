import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What the kernel says of a process. */
export interface ProcessView {
  readonly title: string;
  readonly uid: number;
  /** Hexadecimal mask of capabilities in effect; `0` is none. */
  readonly capabilities: bigint;
  readonly noNewPrivileges: boolean;
  /** What its descriptors point at: paths, `socket:[7]`, `anon_inode:[eventpoll]`. */
  readonly open: readonly string[];
}

export function viewProcess(pid: number): ProcessView {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (name: string): string => new RegExp(`^${name}:\\s+(\\S+)`, 'mu').exec(status)?.[1] ?? '';
  return {
    title: readFileSync(`/proc/${pid}/cmdline`, 'latin1').replaceAll('\0', ' ').trim(),
    uid: Number(field('Uid')),
    capabilities: BigInt(`0x${field('CapEff')}`),
    noNewPrivileges: field('NoNewPrivs') === '1',
    open: readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      try {
        return [readlinkSync(`/proc/${pid}/fd/${descriptor}`)];
      } catch {
        // Closed meanwhile.
        return [];
      }
    }),
  };
}

const LISTEN = '0A';
/** A UDP socket that is bound and not connected. */
const BOUND = '07';
/** In /proc/net/unix: SO_ACCEPTCON. */
const ACCEPTS = 0x10000;

/** Addresses at which a process listens: `tcp:8080`, `udp:53`, `unix:/path`. Without the IP address. */
export function listeningSockets(pid: number): ReadonlySet<string> {
  const inodes = new Set(viewProcess(pid).open.flatMap((target) => /^socket:\[(\d+)\]$/u.exec(target)?.[1] ?? []));
  const found = new Set<string>();
  for (const [table, protocol, wanted] of [
    ['tcp', 'tcp', LISTEN],
    ['tcp6', 'tcp', LISTEN],
    ['udp', 'udp', BOUND],
    ['udp6', 'udp', BOUND],
  ] as const) {
    for (const [, local = '', , state, , , , , , inode = ''] of lines(table)) {
      if (state !== wanted || !inodes.has(inode)) continue;
      found.add(`${protocol}:${Number.parseInt(local.slice(local.lastIndexOf(':') + 1), 16)}`);
    }
  }
  for (const [, , , flags = '0', , , inode = '', path = ''] of lines('unix')) {
    if ((Number.parseInt(flags, 16) & ACCEPTS) !== 0 && inodes.has(inode)) found.add(`unix:${path}`);
  }
  return found;
}

function lines(table: string): readonly (readonly string[])[] {
  try {
    return readFileSync(`/proc/net/${table}`, 'utf8')
      .trim()
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/u));
  } catch {
    // A machine without IPv6 has no such table.
    return [];
  }
}
