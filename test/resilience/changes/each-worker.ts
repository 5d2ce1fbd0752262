import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

interface Connection {
  readonly localPort: number;
  close(): void;
}

/** More than chance explains: each connection goes to any of the workers. */
const MOST_TRIES = 200;

/**
 * One connection to each of nginx's workers. The kernel chooses who gets one, so others are opened until each has one;
 * `open` must have exchanged something over it, so that it has been accepted.
 */
export async function toEachWorker<T extends Connection>(
  workers: readonly number[],
  port: number,
  open: () => Promise<T>,
): Promise<readonly T[]> {
  const byWorker = new Map<number, T>();
  for (let count = 0; byWorker.size < workers.length; count += 1) {
    if (count === MOST_TRIES) throw new Error(`no connection to each of ${workers.join(', ')} in ${count} tries`);
    const connection = await open();
    const worker = workerOf(workers, port, connection.localPort);
    if (worker === undefined || byWorker.has(worker)) connection.close();
    else byWorker.set(worker, connection);
  }
  return workers.map((worker) => byWorker.get(worker)!);
}

/** Whose socket is the other end of a client's connection to 127.0.0.1. */
function workerOf(workers: readonly number[], port: number, clientPort: number): number | undefined {
  const hex = (number: number) => number.toString(16).toUpperCase().padStart(4, '0');
  const line = readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .map((text) => text.trim().split(/\s+/u))
    .find(
      ([, local, remote]) =>
        local?.endsWith(`:${hex(port)}`) === true && remote?.endsWith(`:${hex(clientPort)}`) === true,
    );
  const inode = line?.[9];
  return inode === undefined ? undefined : workers.find((worker) => holds(worker, `socket:[${inode}]`));
}

function holds(pid: number, target: string): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some(
      (descriptor) => readlinkSync(`/proc/${pid}/fd/${descriptor}`) === target,
    );
  } catch {
    // It closed one while it was looked at, or has ended.
    return false;
  }
}
