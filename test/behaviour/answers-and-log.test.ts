import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { type Backend, startBackend } from '../support/backends/echo-backend.ts';
import { refusedPort, startFaultyBackend } from '../support/backends/faulty-backend.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { ingress } from '../support/manifests.ts';
import { eventually } from '../support/scope.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let backend: Backend;

before(async () => {
  [site, backend] = await Promise.all([Site.open(scope), startBackend(scope, { name: 'one' })]);
});

/** The page that a status has, in the form that a client without wishes gets. */
async function assertPage(host: string, path: string, status: number, words: RegExp): Promise<void> {
  const reply = await site.http(host, path);
  assert.equal(reply.status, status);
  assert.match(String(reply.headers['content-type']), /^text\/plain/);
  assert.match(reply.body, new RegExp(`^${status} `));
  assert.match(reply.body, words);
  assert.match(reply.body, /\nRequest [0-9a-f]{32}\n$/);
  assert.equal(reply.headers.server, 'nginx', 'tells no version');
}

test('with no manifest at all both ports answer 404', async () => {
  assert.equal((await site.status()).model.hosts, 0);
  assert.deepEqual([(await site.http('any.test')).status, (await site.https('any.test')).status], [404, 404]);
});

test('404 for a host that nobody serves and for a path that no route matches; the log alone says which', async () => {
  await assertPage('nobody.test', '/', 404, /^Nothing is served at this address\.$/m);
  await site.expose({ host: 'narrow.test', backends: [backend], paths: ['/app'] });
  await assertPage('narrow.test', '/other', 404, /^Nothing is served at this address\.$/m);
  assert.match(String((await logged('nobody.test', 1))[0]?.['reason']), /No route is known for this host/);
  assert.match(String((await logged('narrow.test', 1))[0]?.['reason']), /No route of this host matches the path/);
});

test('502 where the backend refuses or gives no answer', async (t) => {
  const refusing = { address: '127.0.0.1', port: await refusedPort() };
  await site.expose({ host: 'refused.test', backends: [refusing] });
  await assertPage('refused.test', '/', 502, /could not be reached/);
  await site.expose({ host: 'closing.test', backends: [await startFaultyBackend(t, 'close')] });
  await assertPage('closing.test', '/', 502, /could not be reached/);
});

test('503 where a Service is missing or has no endpoint, for that route alone; the page names no object', async () => {
  await site.expose({ host: 'empty.test', backends: [] });
  const general = /^The service behind this address is not available\.$/m;
  await assertPage('empty.test', '/', 503, general);
  assert.match(String((await logged('empty.test', 1))[0]?.['reason']), /No endpoint of the service is available/);
  await site.expose({ host: 'partly.test', backends: [backend], paths: ['/there'] });
  await site.apply('missing.yaml', [
    ingress({ name: 'missing', host: 'partly.test', paths: [{ path: '/missing', service: 'nowhere' }] }),
  ]);
  await assertPage('partly.test', '/missing', 503, general);
  assert.match(String((await logged('partly.test', 1))[0]?.['reason']), /default\/nowhere/);
  assert.equal((await site.http('partly.test', '/there')).status, 200);
});

test('504 where the backend does not answer in time', async (t) => {
  const annotations = { 'proxy-read-timeout': '1', 'proxy-next-upstream': 'off' };
  await site.expose({ host: 'slow.test', backends: [await startFaultyBackend(t, 'hang')], annotations });
  await assertPage('slow.test', '/', 504, /in time/);
});

test('browsers get the page as HTML, programs that ask for it as JSON', async () => {
  const html = await site.http('nobody.test', '/', { headers: { Accept: 'text/html,*/*' } });
  assert.match(String(html.headers['content-type']), /^text\/html/);
  assert.match(html.body, /<h1>404 Not found<\/h1>/);
  const json = await site.http('nobody.test', '/', { headers: { Accept: 'application/json' } });
  const { status, message } = json.json<{ status: number; message: string }>();
  assert.deepEqual([status, message], [404, 'Nothing is served at this address.']);
});

test('error answers of a backend reach the client as they are', async (t) => {
  const own = await startBackend(t, {
    respond: (request, response) => response.writeHead(Number(request.url?.slice(1)), { 'X-Own': 'yes' }).end('mine'),
  });
  await site.expose({ host: 'own.test', backends: [own] });
  for (const status of [404, 500, 502, 503, 504]) {
    const reply = await site.http('own.test', `/${status}`);
    assert.deepEqual([reply.status, reply.body, reply.headers['x-own']], [status, 'mine', 'yes']);
  }
});

type Line = Readonly<Record<string, string | number>>;

/** The lines for a host; each worker writes them a second late, so they come in no order. */
function logged(host: string, count: number): Promise<readonly Line[]> {
  const file = join(site.weir.stateDir, 'nginx', 'log', 'access.log');
  return eventually(`${count} lines of ${host}`, () => {
    const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    const found = lines.map((line) => JSON.parse(line) as Line).filter((line) => line['host'] === host);
    return found.length >= count && found;
  });
}

test('the access log has one JSON object for each request, which names the rule of the Ingress that served it', async () => {
  const host = 'logged.test';
  await site.expose({ host, backends: [backend], paths: ['/first', '/second'] });
  const headers = { 'User-Agent': 'quote " and \\ backslash', Referer: 'https://from.test/' };
  await site.http(host, '/second/x?q=1', { headers, method: 'POST', body: 'hello' });
  await site.http(host, '/none');
  const lines = await logged(host, 2);
  const [served, lost] = [200, 404].map((status) => lines.find((line) => line['status'] === status));
  assert.deepEqual(
    [served?.['route'], served?.['method'], served?.['uri'], served?.['status'], served?.['scheme']],
    ['Ingress/default/logged spec.rules[0].http.paths[1]', 'POST', '/second/x?q=1', 200, 'http'],
  );
  assert.deepEqual(
    [served?.['upstream'], served?.['upstreamStatus'], served?.['client']],
    [`${backend.address}:${backend.port}`, '200', '127.0.0.1'],
  );
  assert.deepEqual([served?.['userAgent'], served?.['referer']], [headers['User-Agent'], headers.Referer]);
  assert.ok(typeof served?.['duration'] === 'number' && served['duration'] >= 0);
  assert.deepEqual([lost?.['status'], lost?.['route']], [404, '']);
  assert.match(String(lost?.['reason']), /No route of this host/);
});

test('the access log tells the canary that took a request, and every endpoint that was tried', async (t) => {
  const host = 'traced.test';
  const bad = await startFaultyBackend(t, 'close');
  await site.expose({ host, backends: [backend] });
  await site.expose({
    host,
    name: 'traced-canary',
    backends: [bad],
    annotations: { canary: 'true', 'canary-weight': '100' },
  });
  await site.http(host);
  const [line] = await logged(host, 1);
  assert.equal(line?.['route'], 'Ingress/default/traced-canary spec.rules[0].http.paths[0]');
  assert.deepEqual([line?.['upstream'], line?.['status']], [`${bad.address}:${bad.port}`, 502]);
});

test('enable-access-log "false" keeps requests of its routes out of the log', async (t) => {
  await site.expose({ host: 'quiet.test', backends: [backend], annotations: { 'enable-access-log': 'false' } });
  await site.expose({ host: 'loud.test', backends: [backend] });
  // One connection is one worker, which writes its lines in order.
  const connection = await HttpConnection.open(site.weir.httpPort);
  t.after(() => connection.close());
  for (const host of ['quiet.test', 'loud.test']) assert.equal((await connection.request(host)).status, 200);
  await logged('loud.test', 1);
  const text = readFileSync(join(site.weir.stateDir, 'nginx', 'log', 'access.log'), 'utf8');
  assert.ok(!text.includes('quiet.test'));
});
