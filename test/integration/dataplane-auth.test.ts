import assert from 'node:assert/strict';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { before, beforeEach, describe, it } from 'node:test';
import type { AuthRecord, RouteRecord } from '../../src/drivers/nginx/wire.ts';
import { startBackend, type Backend, type Echo } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { guardedHost, policy, showing } from '../support/client-certificates.ts';
import { request } from '../support/clients/http-client.ts';
import { Http2Client } from '../support/clients/http2-client.ts';
import { Dataplane, endpoints, route } from '../support/dataplane.ts';
import { eventually } from '../support/scope.ts';
import { suiteScope } from '../support/suite-scope.ts';

const HOST = 'guarded.example';

interface Question {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('external auth inside nginx', () => {
  const scope = suiteScope();
  let dataplane: Dataplane;
  let backend: Backend;
  let service: Backend;
  let decide: (question: Question, response: ServerResponse) => void;
  let questions: Question[] = [];

  before(async () => {
    dataplane = await Dataplane.start(scope, { workers: 1, accessLog: true });
    backend = await startBackend(scope, { name: 'guarded' });
    service = await startBackend(scope, {
      name: 'auth',
      respond: ({ method = '', url = '', headers }, response, body) => {
        const question = { method, url, headers, body };
        questions.push(question);
        decide(question, response);
      },
    });
    await dataplane.put({ 'b:one': endpoints([backend.port]), 'b:auth': endpoints([service.port]) });
  });

  beforeEach(() => {
    questions = [];
    decide = (_, response) => response.end();
  });

  const serve = (auth: Partial<AuthRecord> = {}, more: Partial<RouteRecord> = {}) =>
    dataplane.put({
      [`h:default/${HOST}`]: {
        routes: [route('one', { auth: { backend: 'auth', path: '/check', ...auth }, ...more })],
      },
    });
  const ask = (path = '/', more: Partial<Parameters<typeof request>[0]> = {}) =>
    request({ port: dataplane.httpPort, host: HOST, path, ...more });
  const answer = (status: number, headers: Record<string, string | string[]> = {}) => {
    decide = (_, response) => response.writeHead(status, headers).end('words of the service');
  };
  const logged = (path: string) =>
    eventually(`a line for ${path}`, async () => dataplane.accessLog.findLast(({ uri }) => uri === path));

  it('lets a request through when the service says yes', async () => {
    await serve();
    for (const status of [200, 201, 204, 299]) {
      answer(status);
      const reply = await ask('/a%2Fb?c=d', { method: 'POST', body: 'payload' });
      assert.equal(reply.status, 200);
      assert.equal(reply.json<Echo>().url, '/a%2Fb?c=d');
      assert.equal(reply.json<Echo>().body, 'payload');
    }
    assert.equal(questions.length, 4);
    assert.equal(questions[0]?.method, 'GET');
    assert.equal(questions[0]?.url, '/check');
    assert.equal(questions[0]?.body, '');
  });

  it('tells the service what is asked for, and nothing that the client made up', async () => {
    await serve(
      { path: '/check?realm=a%2Fb', host: 'auth.example', method: 'POST' },
      { host: 'inner.example', rewrite: { kind: 'full', value: '/rewritten' } },
    );
    const reply = await ask('/a%2Fb?c=d', {
      method: 'PUT',
      body: 'payload',
      headers: {
        'X-Original-URL': 'http://evil/',
        'X-Original-Method': 'TRACE',
        'X-Original-URI': '/evil',
        'X-Auth-Request-Redirect': 'http://evil/',
        'X-Sent-From': 'evil',
        'X-Forwarded-For': '10.9.8.7',
        'X-Forwarded-Proto': 'https',
        'X-Forwarded-User': 'evil',
        'X-Real-IP': '10.9.8.7',
        'Ssl-Client-Verify': 'SUCCESS',
        Forwarded: 'for=10.9.8.7',
        'If-None-Match': '"x"',
        Range: 'bytes=0-1',
        Authorization: 'Bearer mine',
        Cookie: 'session=1',
        'X-Own': ['one', 'two'],
      },
    });
    assert.equal(reply.json<Echo>().url, '/rewritten?c=d');
    const [question] = questions;
    assert.equal(question?.method, 'POST');
    assert.equal(question.url, '/check?realm=a%2Fb');
    assert.equal(question.body, '');
    const { 'x-request-id': id, ...headers } = question.headers;
    assert.match(String(id), /^[0-9a-f]{32}$/);
    assert.deepEqual(headers, {
      host: 'auth.example',
      'content-length': '0',
      'x-original-url': `http://${HOST}/a%2Fb?c=d`,
      'x-original-uri': '/a%2Fb?c=d',
      'x-original-method': 'PUT',
      'x-auth-request-redirect': '/a%2Fb?c=d',
      'x-sent-from': 'nginx-ingress-controller',
      'x-forwarded-for': '127.0.0.1',
      'x-real-ip': '127.0.0.1',
      'x-scheme': 'http',
      authorization: 'Bearer mine',
      cookie: 'session=1',
      'x-own': 'one, two',
    });
  });

  it("is asked for the client's host unless it has one of its own, and told the scheme of TLS", async () => {
    await serve();
    assert.equal((await ask('/x', { port: dataplane.httpsPort, tls: { servername: HOST } })).status, 200);
    assert.equal(questions[0]?.headers.host, HOST);
    assert.equal(questions[0]?.headers['x-original-url'], `https://${HOST}/x`);
  });

  it('tells the service who the client is by its certificate', async () => {
    const authority = await makeAuthority('Authority');
    const alice = await authority.issue(['alice']);
    const host = 'certified.example';
    await dataplane.put(
      guardedHost(host, policy(authority), [route('one', { auth: { backend: 'auth', path: '/check' } })]),
    );
    const spoofed = { 'ssl-client-subject-dn': 'CN=root', 'ssl-client-cert': 'made up' };
    const asked = { port: dataplane.httpsPort, host, tls: showing(alice), headers: spoofed };
    assert.equal((await request(asked)).status, 200);
    assert.equal(questions[0]?.headers['ssl-client-verify'], 'SUCCESS');
    assert.equal(questions[0].headers['ssl-client-subject-dn'], 'CN=alice');
    assert.equal(questions[0].headers['ssl-client-cert'], undefined);
  });

  it('is asked by the address of IPv6, too', async () => {
    const six = await startBackend(scope, { address: '::1', respond: (_, response) => response.writeHead(403).end() });
    await dataplane.put({ 'b:six': endpoints([['::1', six.port]]) });
    await serve({ backend: 'six' });
    assert.equal((await ask('/')).status, 403);
    assert.equal(six.requests(), 1);
  });

  it('leaves nothing behind when a client goes while it is asked', async () => {
    await serve({ setHeaders: [['X-Round', 'first']] });
    let release: () => void = () => undefined;
    const arrived = new Promise<void>((resolve) => {
      decide = (_, response) => {
        release = () => response.writeHead(200, { 'Set-Cookie': 'of=another' }).end();
        resolve();
      };
    });
    const client = await Http2Client.open(dataplane.httpsPort, { host: HOST, tls: true });
    const gone = client.request({ host: HOST, path: '/gone' }).catch(() => undefined);
    await arrived;
    client.close();
    release();
    await gone;
    assert.equal((await logged('/gone'))?.['route'], 'Test/route');
    decide = (_, response) => response.end();
    for (let count = 0; count < 5; count += 1) {
      const reply = await ask('/');
      assert.equal(reply.status, 200);
      assert.equal(reply.headers['set-cookie'], undefined);
    }
  });

  it('gets the headers that are chosen and the ones that are set, variables filled in', async () => {
    await serve({
      forwardHeaders: ['X-Wanted'],
      setHeaders: [
        ['X-Tenant', 'shop'],
        ['X-Seen', '${scheme} ${request_method} ${http_x_wanted} ${cookie_id} ${arg_q} ${host} ${http_x_missing}.'],
        ['X-Original-URL', '${escaped_request_uri}'],
      ],
      requestRedirect: 'https://${http_host}/start',
      path: '/check?of=${escaped_request_uri}&id=${cookie_bad}',
    });
    await ask('/p?q=%41', { headers: { 'X-Wanted': 'yes', 'X-Other': 'no', Cookie: 'id=7; bad=a b&x=1' } });
    assert.equal(questions[0]?.url, '/check?of=%2Fp%3Fq%3D%2541&id=a%20b%26x%3D1');
    const headers = questions[0].headers;
    assert.equal(headers['x-wanted'], 'yes');
    assert.equal(headers['x-other'], undefined);
    assert.equal(headers.cookie, undefined);
    assert.equal(headers['x-tenant'], 'shop');
    assert.equal(headers['x-seen'], `http GET yes 7 A ${HOST} .`);
    assert.equal(headers['x-original-url'], '%2Fp%3Fq%3D%2541');
    assert.equal(headers['x-auth-request-redirect'], `https://${HOST}/start`);
  });

  it("adds headers for the backend, and a client's own of that name never get there", async () => {
    await serve({ responseHeaders: ['X-User', 'X-Groups', 'Authorization'] });
    answer(200, { 'X-User': 'ann', 'X-Groups': ['a', 'b'], 'X-Secret': 'kept' });
    // More headers than the Lua API shows by default.
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`X-Filler-${index}`, 'x']));
    const spoofed = { ...many, 'x-user': ['root', 'admin'], 'X-GROUPS': 'wheel', Authorization: 'Bearer mine' };
    const { headers } = (await ask('/', { headers: spoofed })).json<Echo>();
    assert.equal(headers['x-user'], 'ann');
    assert.equal(headers['x-groups'], 'a, b');
    assert.equal(headers['x-secret'], undefined);
    assert.equal(headers.authorization, undefined);
    assert.equal(headers['x-filler-149'], 'x');
    assert.equal(questions[0]?.headers.authorization, 'Bearer mine');
    assert.equal(questions[0].headers['x-filler-149'], 'x');
    answer(200);
    assert.equal((await ask('/', { headers: spoofed })).json<Echo>().headers['x-user'], undefined);
  });

  it('passes a 401 on with its challenge and cookies, and a 403 without', async () => {
    await serve();
    answer(401, { 'WWW-Authenticate': 'Basic realm="shop"', 'Set-Cookie': ['a=1', 'b=2'] });
    const before = backend.requests();
    const unknown = await ask('/unknown');
    assert.equal(unknown.status, 401);
    assert.equal(unknown.headers['www-authenticate'], 'Basic realm="shop"');
    assert.deepEqual(unknown.headers['set-cookie'], ['a=1', 'b=2']);
    assert.doesNotMatch(unknown.body, /words of the service/);
    answer(403, { 'Set-Cookie': 'a=1' });
    const forbidden = await ask('/forbidden', { method: 'POST', body: 'x'.repeat(100_000) });
    assert.equal(forbidden.status, 403);
    assert.equal(forbidden.headers['set-cookie'], undefined);
    await serve({ alwaysSetCookie: true });
    assert.deepEqual((await ask('/forbidden')).headers['set-cookie'], ['a=1']);
    assert.equal(backend.requests(), before);
    assert.equal((await logged('/unknown'))?.['reason'], 'The external auth service knows no user.');
    assert.equal((await logged('/forbidden'))?.['route'], 'Test/route');
  });

  it("sends whoever isn't known to sign in, with the address that was wanted", async () => {
    await serve({ signIn: { url: 'https://login.example/start', parameter: 'rd' } });
    answer(401, { 'WWW-Authenticate': 'Basic', 'Set-Cookie': 'csrf=1' });
    const reply = await ask('/a%20b?c=d&e');
    assert.equal(reply.status, 302);
    const wanted = `http://${HOST}/a%20b?c=d&e`;
    assert.equal(reply.headers.location, `https://login.example/start?rd=${encodeURIComponent(wanted)}`);
    assert.deepEqual(reply.headers['set-cookie'], ['csrf=1']);
    assert.equal(reply.headers['www-authenticate'], undefined);
    await serve({ signIn: { url: 'https://login.example/?app=1', parameter: 'back' } });
    const marked = `https://login.example/?app=1&back=${encodeURIComponent(`http://${HOST}/`)}`;
    assert.equal((await ask('/')).headers.location, marked);
    await serve({ signIn: { url: 'https://${host}/login?rd=${escaped_request_uri}', parameter: 'rd' } });
    assert.equal((await ask('/x?y')).headers.location, `https://${HOST}/login?rd=%2Fx%3Fy`);
    answer(403);
    assert.equal((await ask('/')).status, 403);
  });

  it('gives its cookies to answers that are no errors, or to all', async () => {
    answer(200, { 'Set-Cookie': ['a=1', 'b=2'] });
    await serve();
    assert.deepEqual((await ask('/')).headers['set-cookie'], ['a=1', 'b=2']);
    await dataplane.put({ 'b:empty': endpoints([1]) });
    const broken = { backends: [['empty', 1]] as [string, number][] };
    await serve({}, broken);
    const refused = await ask('/');
    assert.equal(refused.status, 502);
    assert.equal(refused.headers['set-cookie'], undefined);
    await serve({ alwaysSetCookie: true }, broken);
    assert.deepEqual((await ask('/')).headers['set-cookie'], ['a=1', 'b=2']);
    answer(200);
    assert.equal((await ask('/')).headers['set-cookie'], undefined);
  });

  it('closes the route whenever there is neither yes nor no', async () => {
    await serve();
    const before = backend.requests();
    const reasons = new Map<string, RegExp>();
    const closed = async (path: string, reason: RegExp) => {
      reasons.set(path, reason);
      const reply = await ask(path);
      assert.equal(reply.status, 503, path);
      assert.equal(reply.headers.location, undefined);
    };
    for (const status of [301, 304, 400, 404, 500, 503]) {
      answer(status, { Location: 'https://elsewhere.example/' });
      await closed(`/status-${status}`, new RegExp(`^The external auth service answered ${status}\\.$`));
    }
    await dataplane.put({ 'b:auth': endpoints([1]) });
    await closed('/dead', /did not decide: it can not be connected to/);
    await dataplane.put({ 'b:auth': { balance: 'rr', endpoints: [] } });
    await closed('/empty', /did not decide: it has no endpoint/);
    await dataplane.put({ 'b:auth': undefined });
    await closed('/missing', /did not decide: it has no endpoint/);
    await dataplane.put({ 'b:auth': endpoints([service.port]) });
    decide = (_, response) => response.socket?.destroy();
    await closed('/reset', /did not decide: it did not answer/);
    decide = (_, response) => response.socket?.end('HTTP/1.1 garbage\r\n\r\n');
    await closed('/garbage', /did not decide: its answer is not HTTP/);
    decide = (_, response) => response.socket?.end(`HTTP/1.1 200 OK\r\nX: ${'y'.repeat(200_000)}`);
    await closed('/endless', /did not decide: the head of its answer is too long/);
    decide = () => undefined;
    await serve({}, { timeouts: [1, 1, 1] });
    await closed('/hangs', /did not decide: it did not answer: timeout/);
    for (const [path, reason] of reasons) {
      const line = await logged(path);
      assert.match(String(line?.['reason']), reason);
      assert.equal(line?.['route'], 'Test/route');
    }
    assert.equal(backend.requests(), before);
    decide = (_, response) => response.end();
    assert.equal((await ask('/')).status, 200);
  });

  it('holds for every route that names it, whatever the protocol of client and backend', async () => {
    await serve({ responseHeaders: ['X-User'] }, { profile: '@http_body_1k', boundedProfile: '@http_body_1k' });
    answer(200, { 'X-User': 'ann', 'Set-Cookie': 'a=1' });
    const client = await Http2Client.open(dataplane.httpsPort, { host: HOST, tls: true });
    try {
      const passed = await client.request({ host: HOST, path: '/over-2', method: 'POST', body: 'payload' });
      assert.equal(passed.status, 200);
      assert.equal(passed.json<Echo>().body, 'payload');
      assert.equal(passed.json<Echo>().headers['x-user'], 'ann');
      assert.deepEqual(passed.headers['set-cookie'], ['a=1']);
      assert.equal(questions[0]?.headers['x-original-url'], `https://${HOST}/over-2`);
      answer(401, { 'WWW-Authenticate': 'Bearer' });
      const refused = await client.request({ host: HOST, path: '/refused-2', method: 'POST', body: 'payload' });
      assert.equal(refused.status, 401);
      assert.equal(refused.headers['www-authenticate'], 'Bearer');
    } finally {
      client.close();
    }
    const line = await logged('/over-2');
    assert.equal(line?.['route'], 'Test/route');
    assert.equal(line['upstream'], `127.0.0.1:${backend.port}`);
    assert.equal(dataplane.accessLog.filter(({ uri }) => uri === '/over-2' || uri === '/check').length, 1);
  });

  it('has a connection of its own for each request, unless connections are to be kept', async () => {
    await serve();
    const before = service.connections();
    for (let count = 0; count < 5; count += 1) assert.equal((await ask('/')).status, 200);
    assert.equal(service.connections() - before, 5);
  });

  it('keeps as many connections for as many requests as it is told, and goes on when the service closed one', async () => {
    await serve({ keepAlive: [4, 3, 30] });
    const before = service.connections();
    for (let count = 0; count < 6; count += 1) assert.equal((await ask('/')).status, 200);
    assert.equal(service.connections() - before, 2);
    decide = (_, response) => {
      response.end();
      setImmediate(() => response.socket?.destroy());
    };
    for (let count = 0; count < 5; count += 1) assert.equal((await ask('/')).status, 200);
  });

  it('keeps no connection on which a body may still come where HTTP has none', async () => {
    await serve({ method: 'HEAD', keepAlive: [8, 1000, 30] });
    decide = (_, response) => response.writeHead(200, { 'Content-Length': '5' }).end();
    const before = service.connections();
    for (let count = 0; count < 3; count += 1) assert.equal((await ask('/')).status, 200);
    assert.equal(service.connections() - before, 3);
  });

  it('is asked no longer than the time-outs of the route, also where it answers bit by bit', async () => {
    const drips = createServer((socket) => {
      const timer = setInterval(() => socket.write('HTTP/1.1 100 Continue\r\n\r\n'), 200);
      socket.on('error', () => undefined).on('close', () => clearInterval(timer));
    });
    const port = await listen(drips);
    await dataplane.put({ 'b:drips': endpoints([port]) });
    await serve({ backend: 'drips' }, { timeouts: [1, 1, 1] });
    const began = performance.now();
    assert.equal((await ask('/')).status, 503);
    assert.ok(performance.now() - began < 4000);
    drips.close();
  });

  it('asks another endpoint where one is dead', async () => {
    await dataplane.put({ 'b:auth': endpoints([1, service.port]) });
    await serve();
    for (let count = 0; count < 6; count += 1) assert.equal((await ask('/')).status, 200);
    await dataplane.put({ 'b:auth': endpoints([service.port]) });
  });

  it('keeps answers for as long as it is told, under a key of the request', async () => {
    await serve({
      responseHeaders: ['X-User'],
      cache: {
        key: '${http_authorization}',
        durations: [
          [[200], 60],
          [[401], 60],
        ],
      },
    });
    decide = ({ headers }, response) => {
      response.writeHead(headers.authorization === 'good' ? 200 : 401, { 'X-User': headers.authorization ?? 'nobody' });
      response.end();
    };
    const user = async (authorization?: string) => {
      const reply = await ask('/', { headers: authorization === undefined ? {} : { Authorization: authorization } });
      return reply.status === 200 ? reply.json<Echo>().headers['x-user'] : reply.status;
    };
    for (let count = 0; count < 3; count += 1) {
      assert.equal(await user('good'), 'good');
      assert.equal(await user('bad'), 401);
    }
    assert.equal(questions.length, 2);
    assert.equal(await user(), 401);
    assert.equal(await user(), 401);
    assert.equal(questions.length, 4, 'an empty key keeps nothing');
    // The same key means something else to another question.
    await serve({ path: '/other', cache: { key: '${http_authorization}', durations: [[[200], 60]] } });
    await user('good');
    assert.equal(questions.length, 5);
    for (const header of [{ 'Set-Cookie': 'a=1' }, { 'Cache-Control': 'private' }]) {
      answer(200, header);
      await user(JSON.stringify(header));
      await user(JSON.stringify(header));
    }
    assert.equal(questions.length, 9);
  });

  it('closes the host where its record can not be asked by', async () => {
    for (const bad of [
      { path: 'check' },
      { path: '/a b' },
      { path: '/a\r\nX: y' },
      { host: 'a\r\nX: y' },
      { method: 'GET /x' },
      { setHeaders: [['X-A', '${secret}']] },
      { setHeaders: [['X-A: b', 'c']] },
    ] as Partial<AuthRecord>[]) {
      await serve(bad);
      assert.equal((await ask('/')).status, 503, JSON.stringify(bad));
    }
    assert.equal(questions.length, 0);
    await serve({ setHeaders: [['X-A', 'a\r\nX-B: c']] });
    assert.equal((await ask('/')).status, 200);
    assert.equal(questions[0]?.headers['x-b'], undefined);
  });

  it('leaves no trace of an error in the log', () => {
    assert.doesNotMatch(dataplane.errorLog, /lua entry thread aborted|runtime error|attempt to|stack traceback/);
  });
});
