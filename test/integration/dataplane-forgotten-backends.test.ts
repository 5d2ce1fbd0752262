import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { childrenOf, residentParts } from '../bench/process-figures.ts';
import { request } from '../support/clients/http-client.ts';
import { Dataplane, endpoints, route, type Records } from '../support/dataplane.ts';
import { freePort } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'passing.example';
/** Compiled, a backend of so many endpoints takes a worker some 30 KiB. */
const ENDPOINTS = 100;
const MOST_GROWTH_MIB = 12;
/** As in the data plane: so many changes are told one by one. */
const KEPT_LOGS = 1024;

describe('a worker’s memory', () => {
  const scope = suiteScope();

  for (const [how, reset] of [
    ['one by one', false],
    ['while the worker looks away', true],
  ] as const) {
    it(`keeps nothing of backends that came, were used and went ${how}`, async (t) => {
      const dataplane = await Dataplane.start(scope, { workers: 1 });
      const [worker = 0] = childrenOf(dataplane.masterPid);
      const port = await freePort();
      const dead = endpoints(Array.from({ length: ENDPOINTS }, (_, index) => [`127.1.0.${index + 1}`, port]));
      let next = 0;
      const pass = async (count: number) => {
        for (const end = next + count; next < end; next += 1) {
          const host: Records = { [`h:default/${HOST}`]: { routes: [route(String(next), { tries: 1 })] } };
          await dataplane.put({ [`b:${next}`]: dead, ...host });
          // Nothing listens there: what counts is that the backend was looked up.
          assert.equal((await request({ port: dataplane.httpPort, host: HOST })).status, 502);
          if (next >= 3) await dataplane.put({ [`b:${next - 3}`]: undefined });
          // More changes than are told one by one: the worker looks at all that it holds.
          if (reset && next % 450 === 449) {
            for (let count = 0; count <= KEPT_LOGS; count += 1) await dataplane.put({ 'b:other': endpoints([1]) });
          }
        }
      };
      await pass(300);
      const before = residentParts(worker).own;
      await pass(1500);
      const after = residentParts(worker).own;
      t.diagnostic(`1,500 backends later: ${before.toFixed(1)} → ${after.toFixed(1)} MiB`);
      assert.ok(after - before < MOST_GROWTH_MIB, `the worker grew from ${before} to ${after} MiB`);
    });
  }
});
