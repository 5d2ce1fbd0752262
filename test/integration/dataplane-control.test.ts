import assert from 'node:assert/strict';
import { request as rawRequest } from 'node:http';
import { before, describe, it } from 'node:test';
import { crc32 } from 'node:zlib';
import { ControlClient } from '../../src/drivers/nginx/control/control-client.ts';
import { sliceFrames } from '../../src/drivers/nginx/push/frame.ts';
import type { RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { request } from '../support/clients/http-client.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Dataplane } from '../support/dataplane.ts';
import { suiteScope } from '../support/suite-scope.ts';

/** A route that says a word, so that no backend is needed. */
function says(word: string, path = '/'): RouteRecord {
  return { origin: 'Test/says', path: { kind: 'text-prefix', value: path }, respond: { status: 200, reason: word } };
}

describe('the control socket', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  before(async () => {
    dataplane = await Dataplane.start(scope);
  });

  const ask = async (host: string) => (await request({ port: dataplane.httpPort, host })).body.trim();
  const apply = (more: Partial<Parameters<ControlClient['apply']>[0]>) =>
    dataplane.control.apply({
      conf: dataplane.conf,
      epoch: dataplane.epoch,
      base: dataplane.generation,
      generation: dataplane.generation + 1,
      body: Buffer.alloc(0),
      ...more,
    });

  it('refuses a missing or wrong token', async () => {
    for (const token of ['', 'x'.repeat(64), dataplane.token.slice(1)]) {
      await assert.rejects(new ControlClient(dataplane.socket, token).state(), /401/);
    }
  });

  it('tells its state', async () => {
    await dataplane.put({ 'h:default/state.example': { routes: [says('state')] } });
    const state = await dataplane.control.state();
    assert.equal(state.conf, dataplane.conf);
    assert.equal(state.epoch, dataplane.epoch);
    assert.equal(state.generation, dataplane.generation);
    assert.equal(state.capacity[0], 16 * 1_048_576);
    assert.ok(state.free[0] > 0 && state.free[1] > 0);
  });

  it('refuses another configuration, epoch or base, and says what it has', async () => {
    for (const wrong of [{ conf: 'other' }, { epoch: 'other' }, { base: dataplane.generation + 5, generation: 99 }]) {
      const answer = await apply(wrong);
      assert.equal(answer.kind, 'conflict');
      assert.equal(answer.kind === 'conflict' && answer.state.generation, dataplane.generation);
    }
  });

  it('lists its records with their checksums', async () => {
    const text = JSON.stringify({ routes: [says('ä€')] });
    await dataplane.put({
      'h:default/listed.example': text,
      'b:x/y:z': JSON.stringify({ balance: 'rr', endpoints: [] }),
    });
    const records = await dataplane.control.records();
    assert.equal(records.get('h:default/listed.example'), crc32(text).toString(16).padStart(8, '0'));
    assert.ok(records.has('b:x/y:z'));
    assert.ok([...records.keys()].every((key) => /^[cbsh]:/.test(key)));
  });

  it('has a change in force in every worker when it has answered', async () => {
    // Kept-alive connections stay with their workers, so all workers are asked.
    const connections = await Promise.all(Array.from({ length: 8 }, () => HttpConnection.open(dataplane.httpPort)));
    const wrong: string[] = [];
    for (let round = 0; round < 200; round += 1) {
      await dataplane.put({ 'h:default/round.example': { routes: [says(`round ${round}`)] } });
      const replies = await Promise.all(connections.map((connection) => connection.request('round.example', '/')));
      wrong.push(...replies.map(({ body }) => body.trim()).filter((body) => body !== `round ${round}`));
    }
    for (const connection of connections) connection.close();
    assert.deepEqual(wrong, []);
  });

  it('puts a record together that comes in slices', async () => {
    const routes = Array.from({ length: 4000 }, (_, index) =>
      says(`answer ${index}`, `/path-${String(index).padStart(5, '0')}`),
    );
    const text = Buffer.from(JSON.stringify({ routes: [...routes, says('large')] }));
    const frames = sliceFrames('h:default/large.example', text);
    assert.ok(frames.length > 1);
    for (const [index, frame] of frames.entries()) {
      assert.equal((await apply({ body: frame })).kind, 'in-force');
      dataplane.generation += 1;
      const answer = await ask('large.example');
      assert.match(answer, index === frames.length - 1 ? /^large$/ : /^404/);
    }
    const reply = await request({ port: dataplane.httpPort, host: 'large.example', path: '/path-03999/x' });
    assert.equal(reply.body.trim(), 'answer 3999');
    const records = await dataplane.control.records();
    assert.equal(records.get('h:default/large.example'), crc32(text).toString(16).padStart(8, '0'));
  });

  it('refuses a call that is too large, and frames that are none, without changing anything', async () => {
    await dataplane.put({ 'h:default/kept.example': { routes: [says('kept')] } });
    for (const body of [
      'P h:default/kept.example 3\n{}',
      'D h:default/kept.example',
      'X y\n',
      'P version 1\n9\n',
      'D gen\n',
      'S h:x 2 2 1\na\n',
    ]) {
      await assert.rejects(apply({ body: Buffer.from(body) }), /400/);
    }
    await assert.rejects(apply({ body: Buffer.alloc(1_048_576, 'x') }));
    assert.equal(await ask('kept.example'), 'kept');
    assert.equal((await dataplane.control.state()).generation, dataplane.generation);
  });

  it('starts a new epoch at base 0 without dropping what it has', async () => {
    const epoch = `${dataplane.epoch}-next`;
    const body = Buffer.from(
      `P h:default/epoch.example ${JSON.stringify({ routes: [says('epoch')] }).length}\n${JSON.stringify({ routes: [says('epoch')] })}\n`,
    );
    assert.equal((await apply({ epoch, base: 0, generation: 1, body })).kind, 'in-force');
    dataplane.epoch = epoch;
    dataplane.generation = 1;
    assert.equal(await ask('epoch.example'), 'epoch');
    assert.equal(await ask('kept.example'), 'kept');
    assert.equal((await apply({ base: 0, generation: 1 })).kind, 'conflict');
  });

  it('compiles and matches patterns as the router does', async () => {
    const answers = await dataplane.control.regex([
      { pattern: '/a(b+)?', ignoreCase: false },
      { pattern: '/(', ignoreCase: false },
      { pattern: '/v(\\d+)(x)?/(.*)', ignoreCase: true, subject: '/V12/rest' },
      { pattern: 'b', ignoreCase: false, subject: '/ab' },
    ]);
    assert.deepEqual(answers[0], {});
    assert.match(answers[1]?.error ?? '', /missing/);
    assert.deepEqual(answers[2], { matched: true, captures: ['/V12/rest', '12', '', 'rest'] });
    assert.deepEqual(answers[3], { matched: false });
  });

  it("tells the worker's view of a backend", async () => {
    await dataplane.put({
      'b:view': {
        balance: 'rr',
        endpoints: [
          ['10.0.0.1', 80, 1],
          ['::1', 81, 2, 1],
        ],
      },
    });
    const body = await new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${dataplane.token}`, host: 'control' };
      rawRequest({ socketPath: dataplane.socket, path: '/v1/endpoints?id=view', headers, agent: false }, (response) => {
        let text = '';
        response.on('data', (chunk) => (text += String(chunk))).on('end', () => resolve(text));
      })
        .on('error', reject)
        .end();
    });
    const { endpoints } = JSON.parse(body) as { endpoints: { endpoint: string; weight: number; draining: boolean }[] };
    const shown = endpoints.map(({ endpoint, weight, draining }) => [endpoint, weight, draining]).sort();
    assert.deepEqual(shown, [
      ['10.0.0.1:80', 1, false],
      ['[::1]:81', 2, true],
    ]);
  });

  it('refuses an endpoint that is no address', async () => {
    for (const address of ['unix:/run/x.sock', 'localhost', '300.1.1.1', '1.2.3', '::1%lo']) {
      await dataplane.put({
        'b:evil': JSON.stringify({ balance: 'rr', endpoints: [[address, 80, 1]] }),
        'h:default/evil.example': {
          routes: [{ origin: 'x', path: { kind: 'prefix', value: '/' }, backends: [['evil', 1]] }],
        },
      });
      assert.match(await ask('evil.example'), /^503/);
      assert.match(
        (await dataplane.control.state()).bad.find(({ key }) => key === 'b:evil')?.error ?? '',
        /not an IP address/,
      );
    }
  });
});

describe('a zone that is full', () => {
  const scope = suiteScope();

  it('keeps what was in force, raises no generation, and moves to a larger zone without a gap', async () => {
    const dataplane = await Dataplane.start(scope, { dataZone: { name: 'small', bytes: 262_144 } });
    const ask = async (host: string) => (await request({ port: dataplane.httpPort, host })).body.trim();
    const text = (word: string) => JSON.stringify({ routes: [says(word)], filler: 'x'.repeat(20_000) });
    let stored = 0;
    await assert.rejects(async () => {
      for (; ; stored += 1) await dataplane.put({ [`h:default/h${stored}.example`]: text(`word ${stored}`) });
    }, /full/);
    assert.ok(stored > 3);
    assert.equal((await dataplane.control.state()).generation, dataplane.generation);
    // An old value that a new one did not fit in place of is still there.
    await assert.rejects(
      dataplane.put({
        'h:default/h1.example': JSON.stringify({ routes: [says('grown')], filler: 'x'.repeat(120_000) }),
      }),
      /full/,
    );
    for (let index = 0; index < stored; index += 1) assert.equal(await ask(`h${index}.example`), `word ${index}`);
    assert.match(await ask(`h${stored}.example`), /^404/);

    const { zones } = dataplane.input;
    await dataplane.reload({
      ...dataplane.input,
      zones: {
        ...zones,
        data: { name: 'large', bytes: 4_194_304 },
        certificates: { name: 'certificates2', bytes: 1_048_576 },
      },
      formerZones: zones,
    });
    assert.equal((await dataplane.control.state()).generation, dataplane.generation);
    for (let index = 0; index < stored; index += 1) assert.equal(await ask(`h${index}.example`), `word ${index}`);
    await dataplane.put({
      'h:default/h1.example': JSON.stringify({ routes: [says('grown')], filler: 'x'.repeat(120_000) }),
    });
    assert.equal(await ask('h1.example'), 'grown');
  });
});
