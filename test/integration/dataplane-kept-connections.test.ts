import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, it } from 'node:test';
import type { BackendRecord, HostRecord } from '../../src/drivers/nginx/wire.ts';
import { request } from '../support/clients/http-client.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import type { Scope } from '../support/scope.ts';

/** More than share one group of kept-alive connections. */
const MANY = 200;
const addressOf = (index: number) => `127.7.0.${index + 1}`;
const hostOf = (index: number) => `h${index}.example`;

/** Answers on every address of 127.0.0.0/8 with the one that was asked, and counts the connections it was asked by. */
async function startCounter(scope: Scope): Promise<{ readonly port: number; connections(): number }> {
  let connections = 0;
  const server = createServer((incoming, response) => response.end(incoming.socket.localAddress));
  server.keepAliveTimeout = 60_000;
  server.on('connection', () => {
    connections += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

describe('connections to backends that nginx keeps alive', () => {
  it('are used again when many backends are asked in turn, and each host has its own backend all the while', async (t) => {
    const counter = await startCounter(t);
    const dataplane = await Dataplane.start(t, { workers: 1, keepAlive: 32 });
    const records: Record<string, BackendRecord | HostRecord> = {};
    for (let index = 0; index < MANY; index += 1) {
      records[`b:${index}`] = endpoints([[addressOf(index), counter.port]]);
      records[`h:default/${hostOf(index)}`] = { routes: [route(String(index))] };
    }
    await dataplane.put(records);
    const askAll = async () => {
      for (let index = 0; index < MANY; index += 1) {
        const reply = await request({ port: dataplane.httpPort, host: hostOf(index) });
        assert.equal(`${reply.status} ${reply.body}`, `200 ${addressOf(index)}`);
      }
    };
    // The second time they are in the groups that they were not in while this worker knew few of them.
    await askAll();
    await askAll();
    const before = counter.connections();
    await askAll();
    assert.equal(counter.connections() - before, 0);
  });
});
