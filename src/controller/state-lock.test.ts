import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';
import { lockState } from './state-lock.ts';

const MODULE = pathToFileURL(join(import.meta.dirname, 'state-lock.ts')).href;
/** Takes the lock when told to, says how that went, and holds it until its stdin ends. */
const CONTENDER = `
import { lockState } from ${JSON.stringify(MODULE)};
process.stdout.write('ready\\n');
process.stdin.once('data', () => lockState(process.argv[1]).then(
  () => process.stdout.write('got\\n'),
  (error) => process.stdout.write(error.code + '\\n'),
));
process.stdin.on('end', () => process.exit());
`;

function directoryOf(t: TestContext): string {
  const directory = mkdtempSync(join(tmpdir(), 'weir-lock-'));
  t.after(() => rmSync(directory, { recursive: true }));
  return directory;
}

function contend(t: TestContext, directory: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CONTENDER, directory], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  t.after(() => child.stdin.end());
  const lines = child.stdout.setEncoding('utf8').iterator() as AsyncIterator<string>;
  const line = async () => String((await lines.next()).value).trim();
  return {
    pid: child.pid,
    ready: line(),
    go: async () => {
      child.stdin.write('go\n');
      return line();
    },
    kill: () => {
      child.kill('SIGKILL');
      return new Promise((resolve) => child.once('exit', resolve));
    },
  };
}

test('of several processes that take a directory at the same moment one gets it, also where a dead one left its lock', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const directory = directoryOf(t);
    writeFileSync(join(directory, 'weir.pid'), '999999999 1\n');
    const contenders = Array.from({ length: 4 }, () => contend(t, directory));
    await Promise.all(contenders.map(({ ready }) => ready));
    const ends = await Promise.all(contenders.map(({ go }) => go()));
    assert.deepEqual(ends.sort(), ['got', 'state-locked', 'state-locked', 'state-locked']);
  }
});

test('a lock is held until its process dies or releases it, and names that process', async (t) => {
  const directory = directoryOf(t);
  const holder = contend(t, directory);
  await holder.ready;
  assert.equal(await holder.go(), 'got');
  await assert.rejects(lockState(directory), {
    code: 'state-locked',
    message: `another weir (process ${holder.pid}) uses the state directory ${directory}.`,
  });
  await holder.kill();
  const lock = await lockState(directory);
  assert.equal(statSync(join(directory, 'weir.pid')).mode & 0o777, 0o600);
  assert.match(readFileSync(join(directory, 'weir.pid'), 'utf8'), new RegExp(`^${process.pid} `));
  await lock.release();
  assert.throws(() => statSync(join(directory, 'weir.pid')), { code: 'ENOENT' });
});

test('a name that a stranger holds, and says to be another’s, delays a start and does not prevent it', async (t) => {
  const directory = directoryOf(t);
  const { dev, ino } = statSync(directory);
  const boot = readFileSync('/proc/1/stat', 'latin1');
  const start = boot.slice(boot.lastIndexOf(')') + 2).split(' ')[19];
  const server = createServer((socket) => socket.end(`1 ${start}\n`));
  await new Promise<void>((resolve) => server.listen(`\0weir-state-${dev}-${ino}`, resolve));
  t.after(() => server.close());
  const lock = await lockState(directory);
  assert.equal(lock.problem, undefined);
  await lock.release();
});
