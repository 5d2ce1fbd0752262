import { existsSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { createServer } from 'node:net';
import { allProcesses, type ProcessInfo } from './process-info.ts';

/** The machine speaks IPv6; a listener on all addresses has two sockets then. */
export function hasIpv6(): boolean {
  return existsSync('/proc/net/if_inet6') && readFileSync('/proc/net/if_inet6', 'latin1').trim() !== '';
}

/**
 * Whether an address and port can be bound: undefined, or the system's error. It is bound for a moment, as nginx would
 * (whose `-t` passes with a port that is taken, and whose reload then fails).
 */
export function bindError(address: string, port: number): Promise<NodeJS.ErrnoException | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', resolve);
    server.listen({ host: address, port, exclusive: true, ipv6Only: address.includes(':') }, () => {
      server.close(() => resolve(undefined));
    });
  });
}

/**
 * Whether all that listens on the port was made by this account: the kernel lets another socket beside them only then, and
 * only if they allow it, which can't be seen. Trying it with a socket of one's own would take connections that nobody accepts.
 */
export function isHeldByOwnAccount(port: number): boolean {
  const accounts = listeningEntries(port).map(({ account }) => account);
  return accounts.length > 0 && accounts.every((account) => account === process.geteuid?.());
}

/** In words, with who holds the port. */
export function bindErrorText({ code, message }: NodeJS.ErrnoException, address: string, port: number): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is taken by ${holderText(port)}`;
    case 'EACCES':
      return `port ${port} needs a right that weir doesn't have: run it as root, with CAP_NET_BIND_SERVICE, or use a port above 1023`;
    case 'EADDRNOTAVAIL':
      return `${address} is not an address of this machine`;
    default:
      return message;
  }
}

/** Whether one of these processes listens on the port. */
export function listensOn(port: number, processes: readonly ProcessInfo[]): boolean {
  const sockets = listeningSockets(port);
  return sockets.size > 0 && processes.some(({ pid }) => socketsOf(pid).some((socket) => sockets.has(socket)));
}

function holderText(port: number): string {
  const sockets = listeningSockets(port);
  const holder = allProcesses().find(({ pid }) => socketsOf(pid).some((socket) => sockets.has(socket)));
  if (holder === undefined) return 'another process (of another account or container)';
  return `process ${holder.pid} (${holder.executable})`;
}

/** Inodes of the TCP sockets that listen on a port, on whatever address. */
function listeningSockets(port: number): ReadonlySet<string> {
  return new Set(listeningEntries(port).map(({ inode }) => inode));
}

interface ListeningEntry {
  readonly inode: string;
  /** User id of who made the socket. */
  readonly account: number;
}

function listeningEntries(port: number): readonly ListeningEntry[] {
  const entries: ListeningEntry[] = [];
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`;
  const local = `${suffix} `;
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    if (!existsSync(table)) continue;
    for (const line of readFileSync(table, 'latin1').split('\n')) {
      // There may be ten thousands of connections.
      if (!line.includes(local)) continue;
      const fields = line.trim().split(/\s+/u);
      const [, address, , state, , , , account, , inode] = fields;
      if (address?.endsWith(suffix) === true && state === '0A' && inode !== undefined)
        entries.push({ inode, account: Number(account) });
    }
  }
  return entries;
}

function socketsOf(pid: number): readonly string[] {
  try {
    return readdirSync(`/proc/${pid}/fd`).flatMap((descriptor) => {
      const target = readLink(`/proc/${pid}/fd/${descriptor}`);
      const inode = /^socket:\[([0-9]+)\]$/u.exec(target)?.[1];
      return inode === undefined ? [] : [inode];
    });
  } catch {
    return [];
  }
}

function readLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}
