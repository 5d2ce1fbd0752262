import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Finding } from '../../diagnostics/finding.ts';
import type { ResourceChange } from '../../snapshot/resource.ts';
import type { SourceSink } from '../source.ts';
import { FilesSource } from './files-source.ts';
import type { FilesSourceTiming } from './files-source-timing.ts';
import { PendingLooks } from './pending-looks.ts';

const service = (name: string, port = 80) =>
  `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\nspec:\n  ports:\n    - port: ${port}\n`;

/** Keeps what a source delivers. */
class Received implements SourceSink {
  readonly ports = new Map<string, number>();
  readonly findings = new Map<string, readonly Finding[]>();
  readonly log: string[] = [];
  calls = 0;
  syncs = 0;

  changed(changes: readonly ResourceChange[]): void {
    this.calls += 1;
    for (const change of changes) {
      const ref = change.type === 'put' ? change.resource.ref : change.ref;
      this.log.push(`${change.type} ${ref.name}`);
      if (change.type === 'delete') this.ports.delete(ref.name);
      else this.ports.set(ref.name, portOf(change.resource.body));
    }
  }

  report(subject: string, findings: readonly Finding[]): void {
    if (findings.length === 0) this.findings.delete(subject);
    else this.findings.set(subject, findings);
  }

  synced(): void {
    this.syncs += 1;
  }

  codes(): string[] {
    return [...this.findings.values()].flatMap((findings) => findings.map((finding) => finding.code));
  }

  state(): Record<string, number> {
    return Object.fromEntries([...this.ports].sort());
  }
}

function portOf(body: unknown): number {
  return (body as { spec: { ports: { port: number }[] } }).spec.ports[0]?.port ?? 0;
}

function folder(t: TestContext): string {
  const made = mkdtempSync(path.join(tmpdir(), 'weir-files-'));
  t.after(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

async function started(t: TestContext, folders: readonly string[], timing: Partial<FilesSourceTiming> = {}) {
  const source = new FilesSource({ folders, timing: { hold: 60, probe: 20, relist: 40, ...timing } });
  const received = new Received();
  t.after(() => source.stop());
  await source.start(received);
  return { source, received };
}

/** Waits, by events alone, until it is so. */
async function until(condition: () => boolean, what: string): Promise<void> {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (condition()) return;
    await sleep(5);
  }
  assert.fail(`did not happen: ${what}`);
}

test('everything below the folders is delivered in one call before start resolves, then synced', async (t) => {
  const one = folder(t);
  const two = folder(t);
  mkdirSync(path.join(one, 'deep/er'), { recursive: true });
  writeFileSync(path.join(one, 'deep/er/a.yml'), `${service('a')}---\n${service('b', 81)}`);
  writeFileSync(path.join(one, 'notes.txt'), service('no'));
  writeFileSync(path.join(one, '.hidden.yaml'), service('no'));
  writeFileSync(
    path.join(two, 'c.json'),
    '{"apiVersion":"v1","kind":"Service","metadata":{"name":"c"},"spec":{"ports":[{"port":82}]}}',
  );
  const { source, received } = await started(t, [one, two]);
  assert.deepEqual(received.state(), { a: 80, b: 81, c: 82 });
  assert.deepEqual([received.calls, received.syncs, source.healthy()], [1, 1, true]);
});

test('a file written in place is delivered, and only the object that changed', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), `${service('a')}---\n${service('b')}`);
  const { received } = await started(t, [at]);
  writeFileSync(path.join(at, 'a.yaml'), `${service('a')}---\n${service('b', 81)}`);
  await until(() => received.state()['b'] === 81, 'b is changed');
  assert.deepEqual(received.log.slice(2), ['put b']);
});

test('an editor that writes a temporary file and renames it over the old one changes the object', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  const { received } = await started(t, [at]);
  writeFileSync(path.join(at, '.a.yaml.swp'), service('a', 81));
  renameSync(path.join(at, '.a.yaml.swp'), path.join(at, 'a.yaml'));
  await until(() => received.state()['a'] === 81, 'a is changed');
  assert.deepEqual(received.log, ['put a', 'put a']);
});

test('a file that is renamed there is read without the wait that one being written to needs', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('web'));
  const { source, received } = await started(t, [at], { quiet: 60_000, longest: 60_000 });
  writeFileSync(path.join(at, '.a.yaml.tmp'), service('web', 81));
  renameSync(path.join(at, '.a.yaml.tmp'), path.join(at, 'a.yaml'));
  await until(() => received.ports.get('web') === 81, 'the file that took the place of another to be read');
  const beside = folder(t);
  writeFileSync(path.join(beside, 'staged'), service('new', 82));
  renameSync(path.join(beside, 'staged'), path.join(at, 'b.yaml'));
  await until(() => received.ports.get('new') === 82, 'the new file to be read');
  assert.ok(source.healthy());
});

test('a new file whose writer pauses is read when it has paused for long, not when it appears', async (t) => {
  const at = folder(t);
  const { received } = await started(t, [at], { quiet: 60_000, longest: 60_000 });
  const file = path.join(at, 'a.yaml');
  // Whole documents, so that nothing of the text shows that more is to come.
  writeFileSync(file, service('first'));
  await sleep(100);
  appendFileSync(file, `---\n${service('second')}`);
  await sleep(100);
  assert.deepEqual(received.state(), {});
});

test('a file that is made anew in its place is waited for, though its directory entry came and went', async (t) => {
  const at = folder(t);
  const file = path.join(at, 'a.yaml');
  writeFileSync(file, `${service('web')}---\n${service('api')}`);
  const { received } = await started(t, [at], { quiet: 60_000, longest: 60_000, hold: 60_000 });
  unlinkSync(file);
  writeFileSync(file, service('web', 81));
  await sleep(100);
  assert.deepEqual(received.state(), { api: 80, web: 80 });
});

test('a file that is written to right after it was renamed there is waited for', async (t) => {
  const at = folder(t);
  const beside = path.join(folder(t), 'staged');
  const { received } = await started(t, [at], { quiet: 60_000, longest: 60_000 });
  writeFileSync(beside, service('web'));
  renameSync(beside, path.join(at, 'a.yaml'));
  appendFileSync(path.join(at, 'a.yaml'), `---\n${service('api')}`);
  await sleep(100);
  assert.deepEqual(received.state(), {});
});

test('an editor that moves the old file away first never deletes the object', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  const { received } = await started(t, [at], { hold: 300 });
  renameSync(path.join(at, 'a.yaml'), path.join(at, 'a.yaml~'));
  await sleep(60);
  writeFileSync(path.join(at, 'a.yaml'), service('a', 81));
  await until(() => received.state()['a'] === 81, 'a is changed');
  assert.deepEqual(received.log, ['put a', 'put a']);
});

test('a half-written file keeps its last good objects, is reported, and heals when it is complete', async (t) => {
  const at = folder(t);
  const file = path.join(at, 'a.yaml');
  const text = `${service('a')}---\n${service('b')}`;
  writeFileSync(file, text);
  const { received } = await started(t, [at]);
  writeFileSync(file, `${service('a', 81)}---\napiVersion: v1\nkind: "Serv`);
  await until(() => received.findings.has(file), 'the file is reported');
  assert.deepEqual(received.codes(), ['WEIR0003']);
  assert.deepEqual([received.findings.get(file)?.[0]?.line, received.findings.get(file)?.[0]?.column], [10, 12]);
  assert.deepEqual(received.state(), { a: 80, b: 80 });
  writeFileSync(file, text.replaceAll('80', '82'));
  await until(() => received.state()['b'] === 82, 'the file heals');
  assert.deepEqual([received.state(), received.codes()], [{ a: 82, b: 82 }, []]);
});

test('a file that is emptied and then written in pieces never deletes its objects', async (t) => {
  const at = folder(t);
  const file = path.join(at, 'a.yaml');
  writeFileSync(file, `${service('a')}---\n${service('b')}`);
  const { received } = await started(t, [at], { hold: 300 });
  truncateSync(file, 0);
  await sleep(60);
  appendFileSync(file, service('a', 81));
  await sleep(60);
  appendFileSync(file, `---\n${service('b', 81)}`);
  await until(() => received.state()['b'] === 81 && received.state()['a'] === 81, 'both are changed');
  assert.ok(!received.log.some((line) => line.startsWith('delete')), received.log.join());
});

test('a deleted file deletes its objects, and a truncated one those it lost', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  writeFileSync(path.join(at, 'b.yaml'), `${service('b')}---\n${service('c')}`);
  const { source, received } = await started(t, [at]);
  unlinkSync(path.join(at, 'a.yaml'));
  writeFileSync(path.join(at, 'b.yaml'), service('b'));
  await until(() => !('a' in received.state()) && !('c' in received.state()), 'they are deleted');
  assert.deepEqual([received.state(), source.healthy()], [{ b: 80 }, true]);
});

test('a folder that is emptied means that nothing is wanted', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  const { source, received } = await started(t, [at]);
  unlinkSync(path.join(at, 'a.yaml'));
  await source.settle();
  assert.deepEqual([received.state(), source.healthy()], [{}, true]);
});

test('sub-folders that are created, moved and removed are followed, also when one is made again at once', async (t) => {
  const at = folder(t);
  const { received } = await started(t, [at]);
  mkdirSync(path.join(at, 'x/y'), { recursive: true });
  writeFileSync(path.join(at, 'x/y/a.yaml'), service('a'));
  await until(() => 'a' in received.state(), 'a in a new folder');
  renameSync(path.join(at, 'x'), path.join(at, 'z'));
  writeFileSync(path.join(at, 'z/y/b.yaml'), service('b'));
  await until(() => 'b' in received.state(), 'b in the moved folder');
  rmSync(path.join(at, 'z/y'), { recursive: true });
  mkdirSync(path.join(at, 'z/y'));
  writeFileSync(path.join(at, 'z/y/c.yaml'), service('c'));
  await until(() => 'c' in received.state() && !('a' in received.state()), 'c instead of a and b');
  writeFileSync(path.join(at, 'z/y/c.yaml'), service('c', 81));
  await until(() => received.state()['c'] === 81, 'the folder made again is watched');
  rmSync(path.join(at, 'z'), { recursive: true });
  await until(() => Object.keys(received.state()).length === 0, 'all are deleted');
});

for (const where of ['.', 'sub']) {
  test(`a ConfigMap volume in ${where} is read once, and its swap of ..data is one change`, async (t) => {
    const root = folder(t);
    const at = path.join(root, where);
    mkdirSync(at, { recursive: true });
    const publish = (version: string, port: number) => {
      mkdirSync(path.join(at, `..${version}`));
      writeFileSync(path.join(at, `..${version}/a.yaml`), service('a', port));
      writeFileSync(path.join(at, `..${version}/b.yaml`), service('b', 80));
      symlinkSync(`..${version}`, path.join(at, '..data_tmp'));
      renameSync(path.join(at, '..data_tmp'), path.join(at, '..data'));
    };
    publish('2024_05_01', 80);
    symlinkSync('..data/a.yaml', path.join(at, 'a.yaml'));
    symlinkSync('..data/b.yaml', path.join(at, 'b.yaml'));
    const { received } = await started(t, [root]);
    assert.deepEqual([received.state(), received.codes(), received.log.length], [{ a: 80, b: 80 }, [], 2]);
    for (const [version, port] of [
      ['2024_05_02', 81],
      ['2024_05_03', 82],
    ] as const) {
      publish(version, port);
      if (version === '2024_05_03') rmSync(path.join(at, '..2024_05_02'), { recursive: true });
      await until(() => received.state()['a'] === port, `a has ${port}`);
    }
    assert.deepEqual(received.log.slice(2), ['put a', 'put a']);
  });
}

test('writing to the file behind a symbolic link is seen', async (t) => {
  const at = folder(t);
  const elsewhere = folder(t);
  writeFileSync(path.join(elsewhere, 'real.txt'), service('a'));
  symlinkSync(path.join(elsewhere, 'real.txt'), path.join(at, 'a.yaml'));
  const { received } = await started(t, [at]);
  writeFileSync(path.join(elsewhere, 'real.txt'), service('a', 81));
  await until(() => received.state()['a'] === 81, 'a is changed');
});

test('a folder linked into itself is read once', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  symlinkSync('.', path.join(at, 'again'));
  const { received } = await started(t, [at]);
  assert.deepEqual([received.state(), received.codes()], [{ a: 80 }, []]);
});

test('a folder that is removed keeps its last good objects and is reported until it is back', async (t) => {
  const at = path.join(folder(t), 'manifests');
  mkdirSync(path.join(at, 'sub'), { recursive: true });
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  writeFileSync(path.join(at, 'sub/b.yaml'), service('b'));
  const { source, received } = await started(t, [at]);
  execFileSync('rm', ['-rf', at]);
  await until(() => !source.healthy(), 'it is unhealthy');
  await source.settle();
  assert.deepEqual([received.state(), received.codes()], [{ a: 80, b: 80 }, ['WEIR0001']]);
  mkdirSync(path.join(at, 'sub'), { recursive: true });
  writeFileSync(path.join(at, 'sub/b.yaml'), service('b', 81));
  await until(() => source.healthy() && received.state()['b'] === 81 && !('a' in received.state()), 'it is back');
  assert.deepEqual(received.codes(), []);
  writeFileSync(path.join(at, 'sub/b.yaml'), service('b', 82));
  await until(() => received.state()['b'] === 82, 'it is watched again');
  assert.equal(received.syncs, 1);
});

test('a folder replaced by another, as a deployment switches a symbolic link, is followed', async (t) => {
  const base = folder(t);
  for (const [name, port] of [
    ['v1', 80],
    ['v2', 81],
  ] as const) {
    mkdirSync(path.join(base, name));
    writeFileSync(path.join(base, name, 'a.yaml'), service('a', port));
  }
  symlinkSync('v1', path.join(base, 'current'));
  const { received } = await started(t, [path.join(base, 'current')]);
  symlinkSync('v2', path.join(base, 'next'));
  renameSync(path.join(base, 'next'), path.join(base, 'current'));
  await until(() => received.state()['a'] === 81, 'the other folder counts');
  writeFileSync(path.join(base, 'v2/a.yaml'), service('a', 82));
  await until(() => received.state()['a'] === 82, 'the other folder is watched');
});

test('without its folder the source has no view: nothing delivered, not synced, unhealthy; all comes with the folder', async (t) => {
  const base = folder(t);
  const at = path.join(base, 'later');
  const there = path.join(base, 'there');
  mkdirSync(there);
  const { source, received } = await started(t, [there, at]);
  assert.deepEqual([received.syncs, source.healthy(), received.codes()], [0, false, ['WEIR0001']]);
  await source.settle();
  assert.equal(received.syncs, 0);
  mkdirSync(path.join(base, 'made'));
  writeFileSync(path.join(base, 'made/a.yaml'), service('a'));
  renameSync(path.join(base, 'made'), at);
  await until(() => received.syncs === 1, 'it is synced');
  assert.deepEqual([received.state(), source.healthy(), received.codes()], [{ a: 80 }, true, []]);
});

test('an empty folder is a full view', async (t) => {
  const { source, received } = await started(t, [folder(t)]);
  assert.deepEqual([received.syncs, source.healthy(), received.calls], [1, true, 0]);
});

test('a single file is followed through a rename, and its removal keeps its objects', async (t) => {
  const at = folder(t);
  const file = path.join(at, 'only.conf');
  writeFileSync(file, service('a'));
  writeFileSync(path.join(at, 'other.yaml'), service('other'));
  const { source, received } = await started(t, [file]);
  writeFileSync(`${file}.tmp`, service('a', 81));
  renameSync(`${file}.tmp`, file);
  await until(() => received.state()['a'] === 81, 'a is changed');
  unlinkSync(file);
  await until(() => !source.healthy(), 'it is unhealthy');
  assert.deepEqual(received.state(), { a: 81 });
  writeFileSync(file, service('a', 82));
  await until(() => source.healthy() && received.state()['a'] === 82, 'it is back');
});

test('an unreadable file keeps its last good objects and is reported', async (t) => {
  const at = folder(t);
  const file = path.join(at, 'a.yaml');
  writeFileSync(file, service('a'));
  const { source, received } = await started(t, [at]);
  unlinkSync(file);
  symlinkSync('a.yaml', file);
  await source.settle();
  assert.deepEqual([received.state(), received.codes()], [{ a: 80 }, ['WEIR0002']]);
  unlinkSync(file);
  writeFileSync(file, Buffer.from([0x61, 0x3a, 0x20, 0xff, 0xfe]));
  await source.settle();
  assert.match(received.findings.get(file)?.[0]?.message ?? '', /UTF-8/);
  writeFileSync(file, service('a', 81));
  await source.settle();
  assert.deepEqual([received.state(), received.codes()], [{ a: 81 }, []]);
});

test('a folder without the right to read it keeps its objects, is unhealthy, and heals', {
  skip: process.getuid?.() !== 0 && 'needs root to drop rights',
}, async (t) => {
  const at = folder(t);
  chmodSync(at, 0o755);
  mkdirSync(path.join(at, 'sub'));
  writeFileSync(path.join(at, 'sub/a.yaml'), service('a'));
  process.seteuid?.(65_534);
  try {
    const { source, received } = await started(t, [at]);
    const permit = (target: string, mode: number) => {
      process.seteuid?.(0);
      chmodSync(target, mode);
      process.seteuid?.(65_534);
    };
    for (const target of [path.join(at, 'sub'), at]) {
      permit(target, 0o700);
      await source.settle();
      assert.deepEqual(
        [received.state(), received.codes(), source.healthy()],
        [{ a: 80 }, ['WEIR0001'], false],
        target,
      );
      permit(target, 0o755);
      await until(() => source.healthy(), `${target} heals`);
      await source.settle();
      assert.deepEqual([received.state(), received.codes()], [{ a: 80 }, []]);
    }
  } finally {
    // Before the folder is removed, which only its owner may.
    process.seteuid?.(0);
  }
});

test('an object that two files define is served from the first, and from the second once the first is gone', async (t) => {
  const at = folder(t);
  writeFileSync(path.join(at, 'a.yaml'), service('web', 80));
  writeFileSync(path.join(at, 'b.yaml'), service('web', 81));
  const { source, received } = await started(t, [at]);
  assert.deepEqual([received.state(), received.codes()], [{ web: 80 }, ['WEIR0012']]);
  unlinkSync(path.join(at, 'a.yaml'));
  await source.settle();
  assert.deepEqual([received.state(), received.codes(), received.log], [{ web: 81 }, [], ['put web', 'put web']]);
});

test('settle delivers what was on disk when it was called, without waiting for an event', async (t) => {
  const at = folder(t);
  const { source, received } = await started(t, [at], { quiet: 60_000, longest: 60_000 });
  for (let port = 1; port <= 20; port += 1) {
    // The same length and, within one tick of the clock, the same time: only reading it tells.
    writeFileSync(path.join(at, 'a.yaml'), service('a', 1000 + port));
    await source.settle();
    assert.equal(received.state()['a'], 1000 + port);
  }
});

test('a finding is placed where the object stands now, though its document has moved', async (t) => {
  const at = folder(t);
  const file = path.join(at, 'a.yaml');
  writeFileSync(file, service('a'));
  const { source } = await started(t, [at]);
  writeFileSync(file, `${service('first')}---\n${service('a')}`);
  await source.settle();
  const about: Finding = {
    code: 'WEIR0101',
    severity: 'error',
    object: { kind: 'Service', namespace: 'default', name: 'a' },
    field: 'spec.ports[0].port',
    message: '',
    fix: '',
    file,
    line: 1,
  };
  assert.deepEqual(await source.locate(about), { ...about, line: 15, column: 13 });
  rmSync(file);
  await source.settle();
  await sleep(1_050);
  assert.deepEqual(await source.locate(about), about);
});

test('a file whose name is not UTF-8 is reported while it is there', async (t) => {
  const root = folder(t);
  writeFileSync(path.join(root, 'a.yaml'), service('a'));
  const { source, received } = await started(t, [root]);
  const file = Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0xe9]), Buffer.from('.yaml')]);
  writeFileSync(file, service('b'));
  await until(() => received.codes().length > 0, 'reported');
  assert.deepEqual(
    [received.codes(), source.unread(), received.state()],
    [['WEIR0002'], [`${root}/\\xE9.yaml`], { a: 80 }],
  );
  unlinkSync(file);
  await until(() => received.codes().length === 0, 'gone');
  assert.deepEqual(source.unread(), []);
});

test('files that go in one burst are looked at together, not sought through at each event', async (t) => {
  const root = folder(t);
  const files = Array.from({ length: 1_000 }, (_, number) => path.join(root, `s${number}.yaml`));
  files.forEach((file, number) => writeFileSync(file, service(`s${number}`)));
  const { received } = await started(t, [root]);
  assert.equal(received.ports.size, files.length);
  const next = t.mock.method(PendingLooks.prototype, 'next');
  const event = t.mock.method(PendingLooks.prototype, 'event');
  for (const file of files) unlinkSync(file);
  await until(() => received.ports.size === 0, 'all are gone');
  assert.ok(event.mock.callCount() >= files.length);
  assert.ok(next.mock.callCount() < files.length / 2, `${next.mock.callCount()} searches`);
});

test('after stop nothing is delivered', async (t) => {
  const at = folder(t);
  const { source, received } = await started(t, [at]);
  await source.stop();
  writeFileSync(path.join(at, 'a.yaml'), service('a'));
  await sleep(100);
  assert.deepEqual([received.log, source.healthy()], [[], false]);
});
