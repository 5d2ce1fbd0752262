import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TypeBoxValidatorCompiler } from '@fastify/type-provider-typebox';
import fastify from 'fastify';
import { Drain } from '../controller/drain.ts';
import type { Driver } from '../drivers/driver.ts';
import type { AdminApp, AdminContext } from './admin-app.ts';
import { drainRoutes } from './drain-routes.ts';

test('a drain is begun, waited for and taken back over the admin API', async (t) => {
  const told: boolean[] = [];
  const driver = { name: 'local', letClientsGo: async (on: boolean) => void told.push(on) } as Partial<Driver>;
  const drain = new Drain({ drivers: [driver as Driver], delay: 300, onFault: assert.fail });
  const app = fastify().setValidatorCompiler(TypeBoxValidatorCompiler) as unknown as AdminApp;
  t.after(() => app.close());
  drainRoutes(app, { drain } as Partial<AdminContext> as AdminContext);
  const ask = async (method: 'POST' | 'DELETE', url = '/api/v1/drain') =>
    (await app.inject({ method, url })).json<{ draining: boolean; secondsLeft?: number; since?: string }>();
  const begun = await ask('POST');
  assert.equal(begun.draining, true);
  assert.ok((begun.secondsLeft ?? 0) > 0);
  const over = await ask('POST', '/api/v1/drain?wait=60');
  assert.deepEqual([over.draining, over.secondsLeft, over.since], [true, 0, begun.since]);
  assert.deepEqual(await ask('DELETE'), { draining: false });
  assert.deepEqual(told, [true, false]);
});
