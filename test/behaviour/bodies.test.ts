import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
const KIB = 1024;
const MIB = 1024 * KIB;
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope), startBackend(scope)]);
});

type Send = (host: string, bytes: number) => Promise<{ status: number; length: number }>;

/** By HTTP/1.1, with the length told beforehand. */
const withLength: Send = async (host, bytes) => {
  const reply = await site.http(host, '/', { method: 'POST', body: 'x'.repeat(bytes), headers: length(bytes) });
  return { status: reply.status, length: reply.status === 200 ? reply.json<Echo>().body.length : 0 };
};

const chunked: Send = async (host, bytes) => {
  const connection = await HttpConnection.open(site.weir.httpPort);
  connection.send(`POST / HTTP/1.1\r\nHost: ${host}\r\nTransfer-Encoding: chunked\r\n\r\n`);
  for (let left = bytes; left > 0; left -= 16 * KIB) {
    const size = Math.min(left, 16 * KIB);
    connection.send(`${size.toString(16)}\r\n${'x'.repeat(size)}\r\n`);
  }
  connection.send('0\r\n\r\n');
  const reply = await connection.reply('POST');
  connection.close();
  return { status: reply.status, length: reply.status === 200 ? reply.json<Echo>().body.length : 0 };
};

const http2 =
  (told: boolean): Send =>
  async (host, bytes) => {
    const client = await site.http2(host);
    const headers = told ? length(bytes) : {};
    const reply = await client.request({ host, method: 'POST', body: 'x'.repeat(bytes), headers });
    client.close();
    return { status: reply.status, length: reply.status === 200 ? reply.json<Echo>().body.length : 0 };
  };

function length(bytes: number): Record<string, string> {
  return { 'content-length': String(bytes) };
}

/** The body of exactly the limit arrives whole, one byte more is answered with 413 and reaches nobody. */
async function limitHolds(host: string, send: Send, limit: number): Promise<void> {
  assert.deepEqual(await send(host, limit), { status: 200, length: limit });
  const before = backend.requests();
  assert.deepEqual(await send(host, limit + 1), { status: 413, length: 0 });
  assert.equal(backend.requests(), before, 'the backend was asked');
}

test('proxy-body-size holds for bodies whose Content-Length tells their size', async () => {
  const host = 'told.test';
  await site.expose({ host, backends: [backend], annotations: { 'proxy-body-size': '64k' } });
  await limitHolds(host, withLength, 64 * KIB);
});

test('proxy-body-size holds for chunked bodies', async () => {
  const host = 'chunked.test';
  await site.expose({ host, backends: [backend], annotations: { 'proxy-body-size': '64k' } });
  await limitHolds(host, chunked, 64 * KIB);
});

test('proxy-body-size holds over HTTP/2, whether the client tells the size or not', async () => {
  const host = 'frames.test';
  await site.expose({ host, backends: [backend], annotations: { 'proxy-body-size': '64k' } });
  await limitHolds(host, http2(true), 64 * KIB);
  await limitHolds(host, http2(false), 64 * KIB);
});

test('without proxy-body-size the limit is 1 MiB', async () => {
  const host = 'default.test';
  await site.expose({ host, backends: [backend] });
  await limitHolds(host, withLength, MIB);
  await limitHolds(host, chunked, MIB);
  await limitHolds(host, http2(false), MIB);
});

test('proxy-body-size 0 means no limit', async () => {
  const host = 'unlimited.test';
  await site.expose({ host, backends: [backend], annotations: { 'proxy-body-size': '0' } });
  for (const send of [withLength, chunked, http2(true), http2(false)]) {
    assert.deepEqual(await send(host, 3 * MIB), { status: 200, length: 3 * MIB });
  }
});

test('a size nobody has asked for before costs one reload that says why; the next Ingress with it costs none', async () => {
  const before = await site.status();
  const annotations = { 'proxy-body-size': '123457' };
  await site.expose({ host: 'first.test', backends: [backend], annotations });
  const after = await site.status();
  assert.equal(after.reloads, before.reloads + 1);
  const [reason] = after.lastReloadReasons;
  assert.equal(reason?.reason, 'profile');
  assert.deepEqual(reason?.objects, [{ kind: 'Ingress', namespace: 'default', name: 'first' }]);
  assert.match(reason?.detail ?? '', /123457/);
  await site.expose({ host: 'second.test', backends: [backend], annotations });
  await limitHolds('second.test', chunked, 123_457);
  assert.equal((await site.status()).reloads, after.reloads);
});
