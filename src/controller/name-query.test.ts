import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startDnsServer } from '../../test/support/dns-server.ts';
import { dnsQuery, dnsResolver } from './name-query.ts';

test('the given DNS server is asked, and tells addresses with their time to live', async (t) => {
  const server = await startDnsServer(t);
  server.answer('db.example', ['192.0.2.2', '192.0.2.1']);
  const query = dnsQuery(dnsResolver([server.address]));
  const expected = { outcome: 'found', addresses: ['192.0.2.1', '192.0.2.2'], ttlSeconds: 1 };
  assert.deepEqual(await query('db.example'), expected);
});

test('an address stands for itself', async () => {
  const query = dnsQuery(dnsResolver(['192.0.2.53']));
  const expected = { outcome: 'found', addresses: ['2001:db8::1'], ttlSeconds: Number.POSITIVE_INFINITY };
  assert.deepEqual(await query('2001:db8::1'), expected);
});
