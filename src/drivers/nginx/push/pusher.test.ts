import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { ControlClient } from '../control/control-client.ts';
import { recordChecksum } from '../records/record-text.ts';
import { FakeControlServer } from '../testing/fake-control-server.ts';
import { Pusher } from './pusher.ts';

async function setUp(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'weir-pusher-'));
  const server = new FakeControlServer('secret');
  const socket = join(directory, 'control.sock');
  await server.listen(socket);
  t.after(async () => {
    await server.close();
    rmSync(directory, { recursive: true });
  });
  return {
    server,
    pusher: new Pusher(new ControlClient(socket, 'secret')),
    control: new ControlClient(socket, 'secret'),
  };
}

function wanted(records: Readonly<Record<string, string>>) {
  const checksums = new Map(Object.entries(records).map(([key, text]) => [key, recordChecksum(text)]));
  return [checksums, (key: string) => records[key]] as const;
}

test('a first push puts everything in the order certificates, backends, names, hosts', async (t) => {
  const { server, pusher } = await setUp(t);
  await pusher.push('conf-1', ...wanted({ 'h:a': 'H', 's:a': 'S', 'b:a': 'B', 'c:a': 'C' }));
  assert.deepEqual(server.calls, [['P c:a', 'P b:a', 'P s:a', 'P h:a']]);
  assert.equal(server.generation, 1);
  assert.notEqual(server.epoch, '');
});

test('a backend is deleted in a later call than the host that named it', async (t) => {
  const { server, pusher } = await setUp(t);
  await pusher.push('conf-1', ...wanted({ 'h:a': 'H', 'b:a': 'B' }));
  await pusher.push('conf-1', ...wanted({}));
  assert.deepEqual(server.calls.slice(1), [['D h:a'], ['D b:a']]);
  assert.equal(server.records.size, 0);
});

test('only what differs is sent, also by a pusher that has just found this data plane', async (t) => {
  const { server, pusher, control } = await setUp(t);
  await pusher.push('conf-1', ...wanted({ 'h:a': '1', 'h:b': '1', 'h:old': '1' }));
  const later = new Pusher(control);
  await later.push('conf-1', ...wanted({ 'h:a': '1', 'h:b': '2' }));
  assert.deepEqual(server.calls.at(-1), ['P h:b', 'D h:old']);
  assert.equal(server.generation, 2);
});

test('a record over the limit of a call travels in slices and arrives whole', async (t) => {
  const { server, pusher } = await setUp(t);
  const text = 'ä'.repeat(300_000);
  await pusher.push('conf-1', ...wanted({ 'h:big': text, 'h:small': 'x', 'b:a': 'B' }));
  assert.equal(server.records.get('h:big')?.toString(), text);
  assert.deepEqual(server.calls.flat(), ['P b:a', 'S h:big', 'S h:big', 'S h:big', 'P h:small']);
});

test('many records are spread over calls that keep the limit', async (t) => {
  const { server, pusher } = await setUp(t);
  const records = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`h:${index}`, 'x'.repeat(1000)]));
  await pusher.push('conf-1', ...wanted(records));
  assert.equal(server.records.size, 1000);
  assert.ok(server.calls.length >= 4);
});

test('after a conflict the data plane is asked what it has, and the next push converges', async (t) => {
  const { server, pusher } = await setUp(t);
  await pusher.push('conf-1', ...wanted({ 'h:a': '1' }));
  server.generation = 7;
  server.records.clear();
  await assert.rejects(pusher.push('conf-1', ...wanted({ 'h:a': '2' })), { code: 'WEIR_NGINX_CONFLICT' });
  await pusher.push('conf-1', ...wanted({ 'h:a': '2' }));
  assert.equal(server.records.get('h:a')?.toString(), '2');
  assert.equal(server.generation, 8);
});

test('an old worker that still answers after a reload is asked again', async (t) => {
  const { server, pusher } = await setUp(t);
  setTimeout(() => (server.conf = 'conf-2'), 50);
  await pusher.push('conf-2', ...wanted({ 'h:a': '1' }));
  assert.equal(server.records.get('h:a')?.toString(), '1');
});

test('a full zone fails the push and leaves the generation', async (t) => {
  const { server, pusher } = await setUp(t);
  server.full = true;
  await assert.rejects(pusher.push('conf-1', ...wanted({ 'h:a': '1' })), { code: 'WEIR_NGINX_ZONE_FULL' });
  assert.equal(server.generation, 0);
});
