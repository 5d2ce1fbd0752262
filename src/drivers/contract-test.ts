import assert from 'node:assert/strict';
import { describe, test, type TestContext } from 'node:test';
import type { Listener } from '../model/listener.ts';
import type { Model } from '../model/model.ts';
import type { Route } from '../model/route.ts';
import { virtualHostKey } from '../model/virtual-host.ts';
import type { Driver } from './driver.ts';
import {
  sampleBackend,
  sampleDelta,
  sampleHost,
  sampleModel,
  sampleOrigin,
  sampleRoute,
} from './testing/sample-model.ts';

/** A load balancer of a test's own, and a way to send requests through it. */
export interface ContractSubject {
  /** Another driver for the same load balancer, as a restarted weir would make it. The first one isn't started yet. */
  driver(): Driver;
  readonly listener: Listener;
  request(host: string, path?: string): Promise<{ readonly status: number; readonly body: string }>;
  /** An endpoint that answers every request with this text. */
  endpoint(text: string): Promise<readonly [address: string, port: number]>;
}

/** What every driver owes, whatever it programs: the same tests run against each. */
export function testDriverContract(name: string, subject: (t: TestContext) => Promise<ContractSubject>): void {
  describe(`driver contract: ${name}`, () => {
    test('a plan touches nothing and says the same when it is asked again', async (t) => {
      const { driver, model } = await started(t);
      const wanted = model({ 'a.example': 'one' });
      const first = driver.plan(wanted, undefined);
      assert.deepEqual(driver.plan(wanted, undefined), first);
      assert.ok(Object.values(first.changes).some((count) => count > 0));
      await driver.apply(wanted, undefined);
      const again = driver.plan(wanted, undefined);
      assert.equal(again.reload, undefined);
      assert.ok(Object.values(again.changes).every((count) => count === 0));
    });

    test('when an apply resolves, the next request sees it', async (t) => {
      const { driver, model, delta, request } = await started(t);
      await driver.apply(model({ 'a.example': 'one' }), undefined);
      for (let round = 0; round < 50; round += 1) {
        const name = round % 2 === 0 ? 'two' : 'one';
        await driver.apply(model({ 'a.example': name }), delta('a.example'));
        assert.deepEqual(await request('a.example'), { status: 200, body: name });
      }
    });

    test('a change of routes, endpoints or weights does not reload', async (t) => {
      const { driver, model, delta, request } = await started(t);
      await driver.apply(model({ 'a.example': 'one' }), undefined);
      const added = await driver.apply(model({ 'a.example': 'one', 'b.example': 'two' }), delta('b.example'));
      assert.equal(added.reloaded, false);
      assert.equal((await request('b.example')).body, 'two');
    });

    test('applying the same again changes nothing', async (t) => {
      const { driver, model } = await started(t);
      await driver.apply(model({ 'a.example': 'one' }), undefined);
      assert.deepEqual(await driver.apply(model({ 'a.example': 'one' }), undefined), {
        reloaded: false,
        quarantined: [],
      });
    });

    test('a host that is gone is not served, and one that was never there neither', async (t) => {
      const { driver, model, delta, request } = await started(t);
      await driver.apply(model({ 'a.example': 'one', 'b.example': 'two' }), undefined);
      await driver.apply(model({ 'b.example': 'two' }), delta('a.example'));
      assert.equal((await request('a.example')).status, 404);
      assert.equal((await request('never.example')).status, 404);
      assert.equal((await request('b.example')).body, 'two');
    });

    test('a backend without endpoints costs its own routes alone', async (t) => {
      const { driver, model, request } = await started(t);
      const wanted = model({ 'a.example': 'one', 'b.example': 'empty' });
      await driver.apply(wanted, undefined);
      assert.equal((await request('b.example')).status, 503);
      assert.equal((await request('a.example')).status, 200);
    });

    test('an access rule that can not be honoured closes its route and names the object', async (t) => {
      const { driver, model, request } = await started(t);
      // No load balancer knows an extension that nobody defined.
      const closed: Partial<Route> = {
        filters: [{ type: 'extension', name: 'unknown' }],
        origin: sampleOrigin('closed'),
      };
      const wanted = model({ 'a.example': 'one', 'b.example': 'one' }, { 'b.example': closed });
      const { findings } = driver.plan(wanted, undefined);
      assert.deepEqual(
        findings.map(({ object, severity }) => [object.name, severity]),
        [['closed', 'error']],
      );
      await driver.apply(wanted, undefined);
      assert.equal((await request('b.example')).status, 503);
      assert.equal((await request('a.example')).status, 200);
    });

    test('a driver that left and comes back finds the load balancer serving and does not reload it', async (t) => {
      const { driver, model, request, again } = await started(t);
      const wanted = model({ 'a.example': 'one' });
      await driver.apply(wanted, undefined);
      await driver.stop('leave');
      assert.equal((await request('a.example')).status, 200);
      const next = again();
      await next.start();
      assert.equal((await next.apply(wanted, undefined)).reloaded, false);
      assert.equal((await request('a.example')).status, 200);
    });

    test('it is healthy once a model is in force', async (t) => {
      const { driver, model } = await started(t);
      await driver.apply(model({ 'a.example': 'one' }), undefined);
      const { healthy, name: told } = await driver.observe();
      assert.equal(healthy, true);
      assert.equal(told, driver.name);
    });
  });

  async function started(t: TestContext) {
    const { driver: make, listener, request, endpoint } = await subject(t);
    const endpoints = { one: await endpoint('one'), two: await endpoint('two') };
    const backends = [
      ...Object.entries(endpoints).map(([id, [address, port]]) => sampleBackend(id, [[address, port]])),
      sampleBackend('empty'),
    ];
    /** Host names and the backend of each. */
    const model = (
      hosts: Readonly<Record<string, string>>,
      more: Readonly<Record<string, Partial<Route>>> = {},
    ): Model =>
      sampleModel({
        listeners: [listener],
        hosts: Object.entries(hosts).map(([host, backend]) =>
          sampleHost(host, [sampleRoute('/', backend, more[host])], { scope: listener.scope }),
        ),
        backends,
      });
    const delta = (host: string) => sampleDelta({ hosts: [virtualHostKey(listener.scope, host)] });
    const driver = make();
    await driver.start();
    return { driver, model, delta, request: (host: string, path?: string) => request(host, path), again: make };
  }
}
