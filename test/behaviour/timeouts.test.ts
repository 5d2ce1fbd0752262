import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { startDeafBackend } from '../support/backends/deaf-backend.ts';
import { startFaultyBackend } from '../support/backends/faulty-backend.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;

before(async () => {
  site = await Site.open(scope);
});

/** Asserts a 504 that came after the time-out and before the default one. */
async function timesOutAfter(
  seconds: number,
  byDefault: number,
  ask: () => Promise<{ status: number }>,
): Promise<void> {
  const started = performance.now();
  const { status } = await ask();
  assert.equal(status, 504);
  const elapsed = (performance.now() - started) / 1000;
  assert.ok(elapsed >= seconds - 0.1 && elapsed < byDefault, `answered after ${elapsed} s`);
}

describe('time-outs towards the backend', { concurrency: true }, () => {
  test('proxy-connect-timeout ends the wait for a connection with 504', async (t) => {
    const host = 'connect.test';
    const annotations = { 'proxy-connect-timeout': '1', 'proxy-next-upstream': 'off' };
    await site.expose({ host, backends: [await startDeafBackend(t)], annotations });
    await timesOutAfter(1, 5, () => site.http(host));
  });

  test('proxy-read-timeout ends the wait for an answer with 504', async (t) => {
    const host = 'read.test';
    const annotations = { 'proxy-read-timeout': '1', 'proxy-next-upstream': 'off' };
    await site.expose({ host, backends: [await startFaultyBackend(t, 'hang')], annotations });
    await timesOutAfter(1, 60, () => site.http(host));
  });

  test('proxy-read-timeout counts between reads: an answer that trickles for longer arrives', async (t) => {
    const host = 'trickle.test';
    const backend = await startBackend(t, {
      respond: (_request, response) => {
        const parts = ['one ', 'two ', 'three ', 'four'];
        const timer = setInterval(() => {
          const part = parts.shift();
          if (part !== undefined) return response.write(part);
          clearInterval(timer);
          return response.end();
        }, 400);
      },
    });
    await site.expose({ host, backends: [backend], annotations: { 'proxy-read-timeout': '1' } });
    const reply = await site.http(host);
    assert.deepEqual([reply.status, reply.body], [200, 'one two three four']);
  });

  test('proxy-send-timeout ends the wait for a backend that takes no more of the body with 504', async (t) => {
    const host = 'send.test';
    const annotations = { 'proxy-send-timeout': '1', 'proxy-body-size': '0', 'proxy-next-upstream': 'off' };
    await site.expose({ host, backends: [await startFaultyBackend(t, 'unread')], annotations });
    await timesOutAfter(1, 60, () => site.http(host, '/', { method: 'POST', body: Buffer.alloc(32 * 1024 * 1024) }));
  });
});

test('a time-out with a unit, or of 0, is reported with what to write, and the default holds', async (t) => {
  const host = 'unit.test';
  const backend = await startBackend(t);
  const annotations = { 'proxy-read-timeout': '2m', 'proxy-connect-timeout': '0' };
  await site.expose({ host, backends: [backend], annotations });
  assert.equal((await site.http(host)).status, 200);
  const findings = await site.findings('unit');
  assert.deepEqual(
    findings.map(({ code }) => code),
    ['WEIR0204', 'WEIR0204'],
  );
  assert.ok(
    findings.some(({ fix }) => fix.includes('"120"')),
    JSON.stringify(findings),
  );
});
