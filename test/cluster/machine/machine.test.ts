import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually, temporaryDirectory } from '../../support/scope.ts';
import { Cgroups } from './cgroups.ts';
import { awaitDaemon, startDaemon } from './daemon.ts';
import { exclusively } from './exclusively.ts';
import { identify, isAlive, signal } from './process-identity.ts';

test('a process that has the id of another is not taken for it', (t) => {
  const child = spawn('sleep', ['60']);
  t.after(() => child.kill('SIGKILL'));
  const identity = identify(child.pid ?? 0);
  assert.ok(identity !== undefined && isAlive(identity));
  const stranger = { ...identity, startTime: '1' };
  assert.equal(isAlive(stranger), false);
  assert.equal(signal(stranger, 'SIGKILL'), false);
  assert.equal(isAlive(identity), true);
  assert.equal(signal(identity, 'SIGKILL'), true);
});

test('a process that has ended is not alive, though nobody has asked for its exit code', () => {
  const { pid = 0 } = spawn('true');
  const identity = identify(pid);
  assert.ok(identity !== undefined);
  // This program asks when it comes back to its event loop, and not before.
  const clock = new Int32Array(new SharedArrayBuffer(4));
  for (let round = 0; isAlive(identity) && round < 1_000; round += 1) Atomics.wait(clock, 0, 0, 10);
  assert.deepEqual(identify(pid), identity);
  assert.equal(isAlive(identity), false);
  assert.equal(signal(identity, 'SIGKILL'), false);
});

test('work under one lock is done one after the other', async (t) => {
  const file = join(temporaryDirectory(t), 'lock');
  const events: string[] = [];
  const work = (name: string) => async () => {
    events.push(`${name} begins`);
    await new Promise((resolve) => setTimeout(resolve, 50));
    events.push(`${name} ends`);
  };
  await Promise.all([exclusively(file, work('one')), exclusively(file, work('other'))]);
  assert.deepEqual(events, ['one begins', 'one ends', 'other begins', 'other ends']);
  assert.equal(existsSync(file), false);
});

test('a lock whose owner was killed keeps nobody out', async (t) => {
  const file = join(temporaryDirectory(t), 'lock');
  writeFileSync(file, JSON.stringify({ pid: spawnSync('true').pid, startTime: '1' }));
  assert.equal(
    await exclusively(
      file,
      async () => 'done',
      () => assert.fail('it waited'),
    ),
    'done',
  );
  writeFileSync(file, 'no JSON');
  assert.equal(
    await exclusively(
      file,
      async () => 'done',
      () => assert.fail('it waited'),
    ),
    'done',
  );
});

test('a lock is free again after work that failed', async (t) => {
  const file = join(temporaryDirectory(t), 'lock');
  await assert.rejects(
    exclusively(file, async () => {
      throw new Error('no');
    }),
    /no/,
  );
  assert.equal(existsSync(file), false);
});

test('a daemon joins its control group before it starts, and its failure is told with the end of its log', async (t) => {
  const directory = temporaryDirectory(t);
  const members = join(directory, 'cgroup.procs');
  const log = join(directory, 'daemon.log');
  const spec = { name: 'the sample', command: ['sh', '-c', 'echo no such disk; exit 3'], log };
  const identity = startDaemon(spec, members);
  assert.equal(await eventually('the member', () => readIf(members)), `${identity.pid}\n`);
  await assert.rejects(
    awaitDaemon(spec, identity, async () => false),
    /the sample has ended after its start; the end of .*daemon\.log:\nno such disk/,
  );
});

test('control groups of version 1 are made in every hierarchy, and cpusets get their parent’s processors', (t) => {
  const root = temporaryDirectory(t);
  const [pids, cpuset, unified] = ['pids', 'cpuset', 'unified'].map((name) => {
    mkdirSync(join(root, name));
    return join(root, name);
  }) as [string, string, string];
  writeFileSync(join(cpuset, 'cpuset.cpus'), '0-3\n');
  // As the kernel makes a new group.
  mkdirSync(join(cpuset, 'sample'));
  writeFileSync(join(cpuset, 'sample/cpuset.cpus'), '\n');
  const mounts = `cgroup ${pids} cgroup rw 0 0\ncgroup ${cpuset} cgroup rw 0 0\ncgroup2 ${unified} cgroup2 rw 0 0\n`;
  const cgroups = new Cgroups('sample', mounts);
  cgroups.make('sample/node-1');
  assert.ok(existsSync(join(pids, 'sample/node-1')) && existsSync(join(cpuset, 'sample/node-1')));
  assert.equal(readFileSync(join(cpuset, 'sample/cpuset.cpus'), 'utf8'), '0-3');
  assert.equal(existsSync(join(unified, 'sample')), false);
  assert.equal(cgroups.membersFile('sample/daemons'), join(pids, 'sample/daemons/cgroup.procs'));

  writeFileSync(join(cpuset, 'sample/node-1/cgroup.procs'), '12\n0\n');
  writeFileSync(join(pids, 'sample/cgroup.procs'), '34\n');
  writeFileSync(join(pids, 'cgroup.procs'), '1\n');
  assert.deepEqual([...cgroups.members()].toSorted(), [12, 34]);
});

test('empty control groups are removed from the innermost outwards, and others are told', (t) => {
  const root = temporaryDirectory(t);
  const cgroups = new Cgroups('sample', `cgroup2 ${root} cgroup2 rw 0 0\n`);
  cgroups.make('sample/a/b');
  cgroups.make('sample/busy');
  writeFileSync(join(root, 'sample/busy/cgroup.procs'), '1\n');
  assert.deepEqual(cgroups.remove(), [join(root, 'sample/busy'), join(root, 'sample')]);
  assert.equal(existsSync(join(root, 'sample/a')), false);
});

function readIf(file: string): string | undefined {
  return existsSync(file) ? readFileSync(file, 'utf8') || undefined : undefined;
}
