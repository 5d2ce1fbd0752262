import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { FakeControlServer } from '../testing/fake-control-server.ts';
import { ControlClient } from './control-client.ts';

async function clientOf(t: TestContext, token = 'token') {
  const directory = mkdtempSync(join(tmpdir(), 'weir-control-'));
  const server = new FakeControlServer('token');
  await server.listen(join(directory, 's'));
  t.after(async () => {
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  });
  return { server, client: new ControlClient(join(directory, 's'), token) };
}

const ask = (client: ControlClient, patterns: readonly string[]) =>
  client.regex(patterns.map((pattern) => ({ pattern, ignoreCase: false })));

test('many long patterns are asked about in several calls, and each is answered in its place', async (t) => {
  const { server, client } = await clientOf(t);
  const patterns = Array.from(
    { length: 60 },
    (_, index) => `/${index}${index % 7 === 3 ? '(' : ''}${'x'.repeat(20_000)}`,
  );
  const answers = await ask(client, patterns);
  assert.deepEqual(
    answers.map(({ error }) => error !== undefined),
    patterns.map((_, index) => index % 7 === 3),
  );
  assert.ok(server.asked.length > 4);
});

test('many short patterns are asked about in several calls', async (t) => {
  const { server, client } = await clientOf(t);
  assert.equal(
    (
      await ask(
        client,
        Array.from({ length: 1000 }, (_, index) => `/${index}`),
      )
    ).length,
    1000,
  );
  assert.deepEqual(server.asked, [200, 200, 200, 200, 200]);
});

test('a pattern that is too long, or no text, is refused alone, without asking', async (t) => {
  const { server, client } = await clientOf(t);
  const [long, half, good] = await ask(client, [`/x${'y'.repeat(900_000)}`, '/\ud800', '/good']);
  assert.match(long?.error ?? '', /it takes 900002 bytes, and the longest that is taken has 65536/u);
  assert.match(half?.error ?? '', /half a character/u);
  assert.equal(good?.error, undefined);
  assert.deepEqual(server.asked, [1]);
});

test('the longest pattern fits in a call, however much of it must be escaped', async (t) => {
  const { client } = await clientOf(t);
  assert.deepEqual(await ask(client, ['\u0001'.repeat(65_536)]), [{}]);
});

test('a subject that is too long is answered with an error', async (t) => {
  const { client } = await clientOf(t);
  const [answer] = await client.regex([{ pattern: '/', ignoreCase: false, subject: '/'.repeat(600_000) }]);
  assert.match(answer?.error ?? '', /too long/u);
});

test('a pattern that the engine fails at costs itself alone', async (t) => {
  const { server, client } = await clientOf(t);
  server.unable = '/77';
  const answers = await ask(
    client,
    Array.from({ length: 150 }, (_, index) => `/${index}`),
  );
  assert.deepEqual(
    answers.flatMap(({ error }, index) => (error === undefined ? [] : [index, error])),
    [77, 'the engine can not be asked about it (500)'],
  );
});

test('a wrong token is an error about the call, not about patterns', async (t) => {
  const { client } = await clientOf(t, 'another');
  await assert.rejects(ask(client, ['/a', '/b']), { code: 'WEIR_NGINX_CONTROL', message: /answered 401/u });
});
