import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Hierarchy {
  readonly mount: string;
  readonly version: 1 | 2;
}

/** The control groups of a cluster: the same path in every hierarchy of the machine. What runs in them is the cluster's. */
export class Cgroups {
  readonly #hierarchies: readonly Hierarchy[];
  readonly #root: string;

  constructor(root: string, mounts = readFileSync('/proc/self/mounts', 'utf8')) {
    this.#root = root;
    this.#hierarchies = mounts.split('\n').flatMap((line): Hierarchy[] => {
      const [, mount = '', type] = line.split(' ');
      if (type === 'cgroup') return [{ mount, version: 1 }];
      return type === 'cgroup2' ? [{ mount, version: 2 }] : [];
    });
  }

  /** Makes a group in every hierarchy that the kubelet uses. `path` begins with the cluster's own. */
  make(path: string): void {
    for (const hierarchy of this.#used()) makeGroup(hierarchy, path);
  }

  /** The file which takes the id of a process that is to be in this group. */
  membersFile(path: string): string {
    const [first] = this.#used();
    const tracker = this.#used().find(({ mount }) => mount.endsWith('/pids')) ?? first;
    if (tracker === undefined) throw new Error('no control group hierarchy is mounted');
    return join(tracker.mount, path, 'cgroup.procs');
  }

  /** Ids of all processes of the cluster: what it started, and what that started. */
  members(): ReadonlySet<number> {
    const found = new Set<number>();
    for (const directory of this.paths()) {
      for (const line of textOf(join(directory, 'cgroup.procs')).split('\n')) if (line !== '') found.add(Number(line));
    }
    // In another process id namespace than ours it is shown as 0.
    found.delete(0);
    return found;
  }

  /** Removes the empty groups; the paths of those that are still in use. */
  remove(): readonly string[] {
    return this.paths().filter((directory) => {
      try {
        rmdirSync(directory);
        return false;
      } catch {
        return existsSync(directory);
      }
    });
  }

  /** Paths of all groups of the cluster, the innermost first. */
  paths(): string[] {
    return this.#hierarchies.flatMap(({ mount }) => groupsUnder(join(mount, this.#root)));
  }

  /** Version 1 wherever a machine has both, as the kubelet and runc decide. */
  #used(): readonly Hierarchy[] {
    const first = this.#hierarchies.filter(({ version }) => version === 1);
    return first.length > 0 ? first : this.#hierarchies;
  }
}

function makeGroup({ mount, version }: Hierarchy, path: string): void {
  let directory = mount;
  for (const part of path.split('/')) {
    if (version === 2) delegate(directory);
    directory = join(directory, part);
    mkdirSync(directory, { recursive: true });
    // A new group of the cpuset hierarchy has no processors and no memory, and takes no process until it has.
    for (const file of ['cpuset.cpus', 'cpuset.mems']) {
      if (version === 1 && existsSync(join(directory, file)) && textOf(join(directory, file)) === '') {
        writeFileSync(join(directory, file), textOf(join(dirname(directory), file)));
      }
    }
  }
}

/** Lets the groups inside have every controller that this one has. */
function delegate(directory: string): void {
  for (const controller of textOf(join(directory, 'cgroup.controllers')).split(/\s+/)) {
    if (controller === '') continue;
    try {
      writeFileSync(join(directory, 'cgroup.subtree_control'), `+${controller}`);
    } catch {
      // One that can't be delegated here; the kubelet says if it needs it.
    }
  }
}

function groupsUnder(directory: string): string[] {
  let entries: string[];
  try {
    entries = readdirSync(directory, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    );
  } catch {
    return [];
  }
  return [...entries.flatMap((entry) => groupsUnder(join(directory, entry))), directory];
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
