import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { NameAnswer } from '../translate/translator.ts';
import { KnownNames } from './known-names.ts';
import { dnsQuery, type NameResult } from './name-query.ts';
import { NameResolver } from './name-resolver.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));
const found = (ttlSeconds: number, ...addresses: string[]): NameResult => ({ outcome: 'found', addresses, ttlSeconds });
const failed: NameResult = { outcome: 'failed', error: 'ESERVFAIL' };
const gone: NameResult = { outcome: 'gone', error: 'ENOTFOUND' };

/** A resolver whose questions get these answers, one after the other; the last for ever. */
function scripted(context: TestContext, ...script: readonly NameResult[]) {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const answers: NameAnswer[] = [];
  let asked = 0;
  const resolver = new NameResolver({
    query: async () => script[Math.min(asked++, script.length - 1)]!,
    onAnswer: (_name, answer) => answers.push(answer),
    random: () => 1,
  });
  context.after(() => resolver.stop());
  const after = async (seconds: number) => {
    context.mock.timers.tick(seconds * 1000);
    await turn();
  };
  return { resolver, answers, after, asked: () => asked };
}

test('a name is asked again when its time to live is over, and told only when it changed', async (context) => {
  const { resolver, answers, after, asked } = scripted(
    context,
    found(5, '192.0.2.1'),
    found(5, '192.0.2.1'),
    found(5, '192.0.2.2'),
  );
  resolver.watch(new Set(['db.example']));
  await turn();
  await after(4.9);
  assert.equal(asked(), 1);
  await after(0.1);
  assert.equal(asked(), 2);
  await after(5);
  assert.deepEqual(answers, [{ addresses: ['192.0.2.1'] }, { addresses: ['192.0.2.2'] }]);
});

test('a time to live of nothing means one second, one of a day a minute', async (context) => {
  const { resolver, after, asked } = scripted(context, found(0, '192.0.2.1'), found(86_400, '192.0.2.1'));
  resolver.watch(new Set(['db.example']));
  await turn();
  await after(0.9);
  assert.equal(asked(), 1);
  await after(0.1);
  assert.equal(asked(), 2);
  await after(59);
  assert.equal(asked(), 2);
  await after(1);
  assert.equal(asked(), 3);
});

test('a server that fails costs nothing that is known', async (context) => {
  const { resolver, answers, after, asked } = scripted(context, found(1, '192.0.2.1'), failed);
  resolver.watch(new Set(['db.example']));
  await turn();
  for (let minute = 0; minute < 10; minute++) await after(60);
  assert.ok(asked() > 5);
  assert.deepEqual(answers, [{ addresses: ['192.0.2.1'] }]);
});

test('failures are asked again later and later', async (context) => {
  const { resolver, after, asked } = scripted(context, failed);
  resolver.watch(new Set(['db.example']));
  await turn();
  for (const [seconds, questions] of [
    [1, 2],
    [1, 2],
    [1, 3],
    [3, 3],
    [1, 4],
    [7, 4],
    [1, 5],
  ] as const) {
    await after(seconds);
    assert.equal(asked(), questions, `after ${seconds} s more`);
  }
});

test('a name that DNS denies three times in a row is dropped', async (context) => {
  const { resolver, answers, after } = scripted(context, found(1, '192.0.2.1'), gone, gone, failed, gone, gone, gone);
  resolver.watch(new Set(['db.example']));
  await turn();
  for (let step = 0; step < 5; step++) await after(60);
  assert.equal(answers.length, 1);
  await after(60);
  assert.deepEqual(answers, [{ addresses: ['192.0.2.1'] }, { error: 'ENOTFOUND' }]);
});

test('a name that never was is told at once', async (context) => {
  const { resolver, answers } = scripted(context, gone);
  resolver.watch(new Set(['db.example']));
  await resolver.answered();
  assert.deepEqual(answers, [{ error: 'ENOTFOUND' }]);
});

test('an answer for a name that nobody needs any more is dropped', async () => {
  const answers: NameAnswer[] = [];
  const late = Promise.withResolvers<NameResult>();
  const resolver = new NameResolver({
    query: () => late.promise,
    onAnswer: (_name, answer) => answers.push(answer),
    random: () => 1,
  });
  resolver.watch(new Set(['db.example']));
  resolver.watch(new Set());
  late.resolve(found(1, '192.0.2.1'));
  await resolver.answered();
  await turn();
  assert.deepEqual(answers, []);
});

test('DNS is asked for both families, and the shorter time to live counts', async () => {
  const query = dnsQuery({
    resolve4: (async () => [
      { address: '192.0.2.2', ttl: 30 },
      { address: '192.0.2.1', ttl: 30 },
    ]) as never,
    resolve6: (async () => [{ address: '2001:db8::1', ttl: 10 }]) as never,
  });
  assert.deepEqual(await query('db.example'), found(10, '192.0.2.1', '192.0.2.2', '2001:db8::1'));
});

test('one family that fails does not take the other’s addresses away', async () => {
  const query = dnsQuery({
    resolve4: (async () => [{ address: '192.0.2.1', ttl: 30 }]) as never,
    resolve6: (async () => Promise.reject(Object.assign(new Error(), { code: 'ESERVFAIL' }))) as never,
  });
  assert.deepEqual(await query('db.example'), found(30, '192.0.2.1'));
});

test('a name that nobody knows is never found, and one that DNS can not tell has failed', async () => {
  const says = (code: string) => (async () => Promise.reject(Object.assign(new Error(), { code }))) as never;
  const asks = (four: string, six: string) =>
    dnsQuery({ resolve4: says(four), resolve6: says(six) })('nowhere.invalid');
  assert.equal((await asks('ENOTFOUND', 'ENOTFOUND')).outcome === 'found', false);
  assert.deepEqual(await asks('ENODATA', 'ESERVFAIL'), failed);
});

test('an address stands for itself, for ever, and localhost is what this machine says', async () => {
  const query = dnsQuery();
  assert.deepEqual(await query('192.0.2.7'), found(Number.POSITIVE_INFINITY, '192.0.2.7'));
  const local = await query('localhost');
  assert.ok(local.outcome === 'found' && local.addresses.some((address) => ['127.0.0.1', '::1'].includes(address)));
});

test('what a name stood for in an earlier run goes on while DNS is silent, and until it answers', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-names-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  const earlier = await KnownNames.open(directory);
  earlier.replace(new Map([['db.example', ['192.0.2.1']]]));
  await earlier.flush();
  const known = await KnownNames.open(directory);
  const answers: [string, NameAnswer][] = [];
  const silent = Promise.withResolvers<NameResult>();
  const resolver = new NameResolver({
    query: (name) => (name === 'slow.example' ? silent.promise : Promise.resolve(failed)),
    onAnswer: (name, answer) => answers.push([name, answer]),
    random: () => 1,
    known: { get: (name) => known.get(name === 'slow.example' ? 'db.example' : name), replace: () => undefined },
  });
  context.after(() => resolver.stop());
  resolver.watch(new Set(['db.example', 'new.example', 'slow.example']));
  await turn();
  assert.deepEqual(answers, [
    ['db.example', { addresses: ['192.0.2.1'] }],
    ['new.example', { error: 'ESERVFAIL' }],
  ]);
  resolver.useKnown();
  silent.resolve(found(60, '192.0.2.9'));
  await turn();
  assert.deepEqual(answers.slice(2), [
    ['slow.example', { addresses: ['192.0.2.1'] }],
    ['slow.example', { addresses: ['192.0.2.9'] }],
  ]);
});

test('known names that were written badly are no names', async (context) => {
  const directory = await mkdtemp(join(tmpdir(), 'weir-names-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  await writeFile(join(directory, 'names.json'), '{"db.example": "192.0.2.1"');
  assert.equal((await KnownNames.open(directory)).get('db.example'), undefined);
});
