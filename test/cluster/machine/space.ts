import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { awaitDaemon, startDaemon } from './daemon.ts';
import type { ProcessIdentity } from './process-identity.ts';

/**
 * A network, a mount table and a host name of one's own, which exist as long as a process is in them: when the last
 * one ends, the kernel takes away interfaces and mounts by itself, whatever became of the program that made them.
 */
export interface SpaceSpec {
  readonly name: string;
  readonly directory: string;
  /** With /var and /run of its own, as a machine has, on which containerd and the kubelet insist in places. */
  readonly machine: boolean;
}

const NETWORK = `
set -eu
echo "$1" >/proc/sys/kernel/hostname
ip link set lo up
echo 1 >/proc/sys/net/ipv4/ip_forward
# A listener that goes hands its waiting connections to one that stays: what the operations guide asks of a node.
echo 1 >/proc/sys/net/ipv4/tcp_migrate_req
`;

const OWN_MOUNTS = `
mount --make-rshared /
mount --bind "$2/var" /var
mount -t tmpfs -o mode=755,size=256m weir-run /run
mkdir -p /run/lock
`;

const HOLD = `
: >"$2/ready"
exec sleep infinity
`;

/** Makes it; the process that holds it. */
export async function makeSpace(spec: SpaceSpec, membersFile: string): Promise<ProcessIdentity> {
  const ready = join(spec.directory, 'ready');
  for (const part of ['lib', 'log', 'tmp', 'cache']) mkdirSync(join(spec.directory, 'var', part), { recursive: true });
  rmSync(ready, { force: true });
  const script = `${NETWORK}${spec.machine ? OWN_MOUNTS : ''}${HOLD}`;
  const unshare = ['unshare', '--net', '--mount', '--uts', '--propagation', 'private', '--'];
  const daemon = {
    name: `the namespaces of ${spec.name}`,
    command: [...unshare, '/bin/sh', '-c', script, 'sh', spec.name, spec.directory],
    log: join(spec.directory, 'namespaces.log'),
  };
  const identity = startDaemon(daemon, membersFile);
  await awaitDaemon(daemon, identity, async () => existsSync(ready), 30_000);
  return identity;
}
