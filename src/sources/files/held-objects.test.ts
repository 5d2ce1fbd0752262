import assert from 'node:assert/strict';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import type { Finding } from '../../diagnostics/finding.ts';
import type { ObjectRef } from '../../model/origin.ts';
import { type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import type { SourceSink } from '../source.ts';
import { FilesSource } from './files-source.ts';
import { HeldObjects } from './held-objects.ts';

const service = (name: string, port: number | string = 80) =>
  `apiVersion: v1\nkind: Service\nmetadata:\n  name: ${name}\nspec:\n  ports:\n    - port: ${port}\n`;
const BROKEN = 'kind: "Service\n';

/** As the snapshot does: refuses a port that is no number, and keeps the version before it. */
class Checking implements SourceSink {
  readonly ports = new Map<string, number>();
  readonly findings = new Map<string, readonly Finding[]>();
  readonly #refused = new Set<string>();

  changed(changes: readonly ResourceChange[]): void {
    for (const change of changes) {
      const ref = change.type === 'put' ? change.resource.ref : change.ref;
      this.#refused.delete(resourceKey(ref));
      if (change.type === 'delete') {
        this.ports.delete(ref.name);
        continue;
      }
      const { spec } = change.resource.body as { spec: { ports: { port: unknown }[] } };
      const port = spec.ports[0]?.port;
      if (typeof port === 'number') this.ports.set(ref.name, port);
      else this.#refused.add(resourceKey(ref));
    }
  }

  refuses(ref: ObjectRef): boolean {
    return this.#refused.has(resourceKey(ref));
  }

  report(subject: string, findings: readonly Finding[]): void {
    this.findings.set(subject, findings);
  }

  synced(): void {}

  state(): Record<string, number> {
    return Object.fromEntries([...this.ports].sort());
  }

  said(): string[] {
    return [...this.findings.values()].flatMap((about) => about.map(({ code, message }) => `${code} ${message}`));
  }
}

class Site {
  readonly folder: string;
  readonly second: string;
  readonly state: string;
  readonly #scope: TestContext;

  constructor(scope: TestContext) {
    const directory = mkdtempSync(path.join(tmpdir(), 'weir-held-'));
    scope.after(() => rmSync(directory, { recursive: true, force: true }));
    this.#scope = scope;
    [this.folder, this.second, this.state] = ['one', 'two', 'state'].map((name) => path.join(directory, name)) as [
      string,
      string,
      string,
    ];
    for (const made of [this.folder, this.second, this.state]) mkdirSync(made);
  }

  get file(): string {
    return path.join(this.state, 'held-objects.jsonl');
  }

  write(file: string, text: string): void {
    writeFileSync(path.join(this.folder, file), text);
  }

  /** Runs from start to a sudden end, of which nobody is told; `during` changes files while it runs. */
  async run(during: () => void | Promise<void> = () => undefined, folders = [this.folder]) {
    const { held, problem } = await HeldObjects.open({ directory: this.state });
    const source = new FilesSource({ folders, held, timing: { hold: 40, probe: 20 } });
    const sink = new Checking();
    this.#scope.after(() => source.stop());
    await source.start(sink);
    const first = { state: sink.state(), said: sink.said() };
    await during();
    await source.settle();
    await source.stop();
    return { first, state: sink.state(), said: sink.said(), problem };
  }

  /** Run until `text` stands in the file and `broken` after it. */
  async breakFile(file: string, text: string, broken: string): Promise<void> {
    this.write(file, text);
    await this.run(() => this.write(file, broken));
  }
}

test('a file that broke while weir ran gives after a restart what it gave before, with the same finding', async (t) => {
  const site = new Site(t);
  const good = `${service('a')}---\n${service('b', 81)}`;
  site.write('a.yaml', good);
  const before = await site.run(() => site.write('a.yaml', `${service('a', 90)}---\n${BROKEN}`));
  assert.deepEqual(before.state, { a: 80, b: 81 });
  assert.match(before.said.join('\n'), /WEIR0003 .*stay in force/);
  // More than once: the next start has nothing but what this one leaves.
  for (const time of ['first', 'second']) {
    const after = await site.run();
    assert.deepEqual(after.first, { state: { a: 80, b: 81 }, said: before.said }, time);
  }
});

test('a file that is mended after the restart heals, and nothing is held any more', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', service('a'), BROKEN);
  assert.deepEqual(readdirSync(site.state), ['held-objects.jsonl']);
  const after = await site.run(() => site.write('a.yaml', service('a', 81)));
  assert.deepEqual([after.first.state, after.state, after.said], [{ a: 80 }, { a: 81 }, []]);
  assert.deepEqual(readdirSync(site.state), []);
});

test('a file that was mended while weir was down says what counts', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', `${service('a')}---\n${service('b')}`, BROKEN);
  site.write('a.yaml', service('a', 81));
  const after = await site.run();
  assert.deepEqual([after.first.state, after.said], [{ a: 81 }, []]);
  assert.deepEqual(readdirSync(site.state), []);
});

test('a broken file that was deleted while weir was down takes its objects with it', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', service('a'), BROKEN);
  unlinkSync(path.join(site.folder, 'a.yaml'));
  const after = await site.run(() => site.write('a.yaml', BROKEN));
  assert.deepEqual([after.first.state, after.state], [{}, {}]);
  assert.deepEqual(readdirSync(site.state), []);
});

test('a broken file that is deleted while weir runs is not held any more', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', service('a'), BROKEN);
  const after = await site.run(() => unlinkSync(path.join(site.folder, 'a.yaml')));
  assert.deepEqual([after.first.state, after.state], [{ a: 80 }, {}]);
  assert.deepEqual(readdirSync(site.state), []);
});

test('a file that was broken from the start gives its good documents, and nothing is held', async (t) => {
  const site = new Site(t);
  site.write('a.yaml', `${service('a')}---\n${BROKEN}`);
  for (const time of ['first', 'second']) {
    const run = await site.run();
    assert.deepEqual(run.first.state, { a: 80 }, time);
    assert.match(run.said.join('\n'), /WEIR0003 .*other documents of this file count/);
    assert.deepEqual(readdirSync(site.state), []);
  }
});

test('of a file that was never good as a whole, what it once gave stays over a restart too', async (t) => {
  const site = new Site(t);
  await site.breakFile(
    'a.yaml',
    `${service('a')}---\n${service('b')}---\n${BROKEN}`,
    `${service('a', 90)}---\n${BROKEN}`,
  );
  const after = await site.run();
  assert.deepEqual(after.first.state, { a: 90, b: 80 });
});

test('a file that cannot be read at all keeps its objects over a restart', async (t) => {
  const site = new Site(t);
  site.write('a.yaml', service('a'));
  await site.run(() => writeFileSync(path.join(site.folder, 'a.yaml'), Buffer.from([0x61, 0x3a, 0x20, 0xff])));
  const after = await site.run();
  assert.deepEqual(after.first.state, { a: 80 });
  assert.match(after.said.join('\n'), /WEIR0002 .*UTF-8/);
});

test('an object that became too large keeps what it said before over a restart', async (t) => {
  const site = new Site(t);
  const large = `${service('a', 90)}data: ${'x'.repeat(1_600_000)}\n`;
  await site.breakFile('a.yaml', `${service('a')}---\n${service('b')}`, `${large}---\n${service('b', 91)}`);
  const after = await site.run();
  assert.deepEqual(after.first.state, { a: 80, b: 91 });
  assert.match(after.said.join('\n'), /WEIR0007/);
});

test('an object that became one of the wrong shape keeps its last usable version over restarts, and heals', async (t) => {
  const site = new Site(t);
  await site.breakFile(
    'a.yaml',
    `${service('a')}---\n${service('b')}`,
    `${service('a', 'many')}---\n${service('b', 91)}`,
  );
  const again = await site.run(() => site.write('a.yaml', `${service('a', 'more')}---\n${service('b', 92)}`));
  assert.deepEqual(
    [again.first.state, again.state],
    [
      { a: 80, b: 91 },
      { a: 80, b: 92 },
    ],
  );
  const after = await site.run(() => site.write('a.yaml', service('a', 85)));
  assert.deepEqual([after.first.state, after.state], [{ a: 80, b: 92 }, { a: 85 }]);
  assert.deepEqual(readdirSync(site.state), []);
});

test('an object of the wrong shape that was deleted while weir was down is gone', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', `${service('a')}---\n${service('b')}`, `${service('a', 'many')}---\n${service('b')}`);
  site.write('a.yaml', service('b'));
  assert.deepEqual((await site.run()).first.state, { b: 80 });
  assert.deepEqual(readdirSync(site.state), []);
});

test('an object that was of the wrong shape from the start is not held', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', service('a', 'many'), service('a', 'more'));
  assert.deepEqual(readdirSync(site.state), []);
  assert.deepEqual((await site.run()).first.state, {});
});

test('a file that broke with an object of the wrong shape in it keeps the usable version of that, too', async (t) => {
  const site = new Site(t);
  site.write('a.yaml', `${service('a')}---\n${service('b')}`);
  await site.run(() => site.write('a.yaml', `${service('a', 'many')}---\n${service('b', 91)}`));
  await site.run(() => site.write('a.yaml', BROKEN));
  assert.deepEqual((await site.run()).first.state, { a: 80, b: 91 });
});

test('with two folders each file keeps its own, and the order of folders still decides', async (t) => {
  const site = new Site(t);
  const other = path.join(site.second, 'b.yaml');
  site.write('a.yaml', `${service('a')}---\n${service('shared', 1)}`);
  writeFileSync(other, `${service('b')}---\n${service('shared', 2)}`);
  const folders = [site.folder, site.second];
  await site.run(() => {
    site.write('a.yaml', BROKEN);
    writeFileSync(other, BROKEN);
  }, folders);
  assert.deepEqual((await site.run(undefined, folders)).first.state, { a: 80, b: 80, shared: 1 });
});

test('while one of two folders is missing, what is held of it waits', async (t) => {
  const site = new Site(t);
  const other = path.join(site.second, 'b.yaml');
  writeFileSync(other, service('b'));
  const folders = [site.folder, site.second];
  await site.run(() => writeFileSync(other, BROKEN), folders);
  rmSync(site.second, { recursive: true });
  await site.run(undefined, folders);
  mkdirSync(site.second);
  writeFileSync(other, BROKEN);
  assert.deepEqual((await site.run(undefined, folders)).first.state, { b: 80 });
});

test('a sub-folder that cannot be read keeps its objects over restarts, and what was in it heals with it', {
  skip: process.getuid?.() !== 0 && 'needs root to drop rights',
}, async (t) => {
  const site = new Site(t);
  const sub = path.join(site.folder, 'sub');
  mkdirSync(path.join(sub, 'deep'), { recursive: true });
  for (const folder of [path.dirname(site.folder), site.folder, sub]) chmodSync(folder, 0o755);
  chmodSync(site.state, 0o777);
  for (const name of ['sub/a', 'sub/deep/b', 'sub/deep/gone', 'c'])
    site.write(`${name}.yaml`, service(path.basename(name)));
  /** Changes that only the owner may make. */
  const asOwner = (change: () => void) => {
    process.seteuid?.(0);
    change();
    process.seteuid?.(65_534);
  };
  process.seteuid?.(65_534);
  try {
    await site.run(() => asOwner(() => chmodSync(sub, 0o700)));
    asOwner(() => unlinkSync(path.join(sub, 'deep/gone.yaml')));
    for (const time of ['first', 'second']) {
      const out = await site.run();
      assert.deepEqual(out.first.state, { a: 80, b: 80, c: 80, gone: 80 }, time);
      assert.match(out.said.join('\n'), /WEIR0001 .*sub cannot be read/, time);
    }
    const back = await site.run(() => asOwner(() => chmodSync(sub, 0o755)));
    assert.deepEqual([back.state, back.said], [{ a: 80, b: 80, c: 80 }, []]);
    assert.deepEqual(readdirSync(site.state), []);
  } finally {
    // Before the folder is removed, which only its owner may.
    process.seteuid?.(0);
  }
});

test('what is held of a folder that is not given any more is let go', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', service('a'), BROKEN);
  assert.deepEqual((await site.run(undefined, [site.second])).first.state, {});
  assert.deepEqual(readdirSync(site.state), []);
});

test('the file is readable by its owner alone', async (t) => {
  const site = new Site(t);
  writeFileSync(`${site.file}.new`, 'left behind', { mode: 0o644 });
  await site.breakFile('a.yaml', service('a'), BROKEN);
  assert.equal(statSync(site.file).mode & 0o777, 0o600);
  assert.deepEqual(readdirSync(site.state), ['held-objects.jsonl']);
});

test('a held file that is torn or foreign is told of and costs only what is torn', async (t) => {
  const site = new Site(t);
  for (const name of ['a', 'b']) site.write(`${name}.yaml`, service(name));
  await site.run(() => {
    for (const name of ['a', 'b']) site.write(`${name}.yaml`, BROKEN);
  });
  const text = readFileSync(site.file, 'utf8');
  writeFileSync(site.file, text.slice(0, -20));
  const torn = await site.run();
  assert.match(torn.problem ?? '', /held-objects\.jsonl: 1 of its 2 entries are torn/);
  assert.equal(Object.keys(torn.first.state).length, 1);
  writeFileSync(site.file, 'no such thing\n');
  const foreign = await site.run();
  assert.match(foreign.problem ?? '', /first line is torn/);
  assert.deepEqual(foreign.first.state, {});
  rmSync(site.file, { force: true });
  mkdirSync(site.file);
  assert.match((await site.run()).problem ?? '', /can't be read \(EISDIR\)/);
});

test('while the file cannot be written weir goes on and tells it once', async (t) => {
  const site = new Site(t);
  for (const name of ['a', 'b', 'c']) site.write(`${name}.yaml`, service(name));
  mkdirSync(`${site.file}.new`);
  const problems: (Error | undefined)[] = [];
  const { held } = await HeldObjects.open({ directory: site.state, onProblem: (problem) => problems.push(problem) });
  const source = new FilesSource({ folders: [site.folder], held, timing: { hold: 40 } });
  const sink = new Checking();
  t.after(() => source.stop());
  await source.start(sink);
  for (const name of ['a', 'b']) {
    site.write(`${name}.yaml`, BROKEN);
    await source.settle();
  }
  assert.deepEqual(sink.state(), { a: 80, b: 80, c: 80 });
  assert.equal(problems.length, 1);
  rmSync(`${site.file}.new`, { recursive: true });
  site.write('c.yaml', BROKEN);
  await source.settle();
  assert.deepEqual(problems.slice(1), [undefined]);
  assert.match(readFileSync(site.file, 'utf8'), /a\.yaml.*\n.*b\.yaml.*\n.*c\.yaml/);
});

test('a sink that fails at first gets the held version of an object again', async (t) => {
  const site = new Site(t);
  await site.breakFile('a.yaml', service('a'), service('a', 'many'));
  const { held } = await HeldObjects.open({ directory: site.state });
  const sink = new Checking();
  const put = {
    type: 'put',
    resource: {
      ref: { kind: 'Service', namespace: 'default', name: 'a' },
      body: { spec: { ports: [{ port: 'many' }] } },
    },
  } as const;
  const failing = {
    changed: () => {
      throw new Error('not now');
    },
    refuses: () => false,
  };
  assert.throws(() => held.deliver([put], new Map(), failing), /not now/);
  held.deliver([put], new Map(), sink);
  assert.deepEqual(sink.state(), { a: 80 });
  await held.close();
  assert.deepEqual(readdirSync(site.state), ['held-objects.jsonl']);
});
