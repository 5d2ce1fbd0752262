import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { HttpConnection } from '../support/clients/http-connection.ts';
import { endpoints, route } from '../support/dataplane.ts';
import { eventually } from '../support/scope.ts';
import type { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';
import { forEachNginx } from './for-each-nginx.ts';

type Headers = readonly (readonly [name: string, value: string])[];

await forEachNginx((nginx) => {
  const scope = suiteScope();
  let site: Site;

  before(async () => {
    site = await nginx.site(scope);
    const tls = await (await makeAuthority()).issue(['backend.test']);
    // The lines of the header as they come, which a joined view would hide.
    const respond = (request: { rawHeaders: string[] }, response: { end(text: string): unknown }) =>
      response.end(JSON.stringify(request.rawHeaders));
    await site.expose({ host: 'common.test', backends: [await startBackend(scope, { respond })] });
    await site.expose({
      host: 'named.test',
      backends: [await startBackend(scope, { respond, tls })],
      annotations: { 'backend-protocol': 'HTTPS' },
    });
  });

  /** Status, and the lines of one header as they arrived. */
  async function arrived(host: string, headers: Headers, name: string): Promise<[status: number, lines: string[]]> {
    const connection = await HttpConnection.open(site.weir.httpPort);
    const lines = headers.map(([header, value]) => `${header}: ${value}\r\n`).join('');
    connection.send(`GET / HTTP/1.1\r\n${/^host:/im.test(lines) ? '' : `Host: ${host}\r\n`}${lines}\r\n`);
    const { status, body } = await connection.reply();
    connection.close();
    const raw = status === 200 ? (JSON.parse(body) as string[]) : [];
    const values = raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name.toLowerCase());
    return [status, values];
  }

  for (const host of ['common.test', 'named.test']) {
    test(`a repeated header reaches the backend of ${host} line by line`, async () => {
      const sent: Headers = [
        ['X-Twice', 'one'],
        ['X-Other', 'x'],
        ['x-twice', 'two'],
      ];
      assert.deepEqual(await arrived(host, sent, 'X-Twice'), [200, ['one', 'two']]);
    });

    test(`of what weir sets itself the backend of ${host} gets one line, whatever the client repeats`, async () => {
      for (const name of ['X-Real-IP', 'X-Forwarded-For', 'X-Forwarded-Proto', 'X-Forwarded-Host']) {
        const [status, values] = await arrived(
          host,
          [
            [name, 'evil'],
            [name, 'worse'],
          ],
          name,
        );
        assert.deepEqual([status, values.length], [200, 1], name);
        assert.doesNotMatch(values[0] ?? '', /evil|worse/, name);
      }
      const twice: Headers = [
        ['Proxy', 'evil'],
        ['Proxy', 'worse'],
      ];
      assert.deepEqual(await arrived(host, twice, 'Proxy'), [200, []]);
    });

    test(`all X-Forwarded-For of a client come to the backend of ${host} under another name`, async () => {
      const sent: Headers = [
        ['X-Forwarded-For', '10.0.0.1'],
        ['X-Forwarded-For', '10.0.0.2'],
      ];
      assert.deepEqual(await arrived(host, sent, 'X-Original-Forwarded-For'), [200, ['10.0.0.1, 10.0.0.2']]);
    });

    test(`a second X-Request-ID is joined to the first by nginx 1.26 and ignored by 1.22, at ${host}`, async () => {
      const sent: Headers = [
        ['X-Request-ID', 'one'],
        ['X-Request-ID', 'two'],
      ];
      const expected = nginx.isNewer ? 'one, two' : 'one';
      assert.deepEqual(await arrived(host, sent, 'X-Request-ID'), [200, [expected]]);
    });

    test(`an Upgrade to HTTP/2 that hides behind one to WebSocket does not reach the backend of ${host}`, async () => {
      for (const order of [
        ['websocket', 'h2c'],
        ['h2c', 'websocket'],
      ]) {
        const sent: Headers = [
          ['Connection', 'Upgrade, HTTP2-Settings'],
          ['HTTP2-Settings', 'AAMAAABkAAQAAP__'],
          ...order.map((value) => ['Upgrade', value] as const),
        ];
        const connection = await HttpConnection.open(site.weir.httpPort);
        connection.send(`GET / HTTP/1.1\r\nHost: ${host}\r\n${sent.map(([n, v]) => `${n}: ${v}\r\n`).join('')}\r\n`);
        const reply = await connection.reply();
        connection.close();
        if (reply.status === 101) assert.equal(reply.headers.upgrade?.toLowerCase(), 'websocket');
        else assert.doesNotMatch(reply.body, /h2c|HTTP2-Settings/i, order.join());
      }
    });

    test(`two lengths, two hosts, and a length beside chunks are answered with 400 at ${host}`, async () => {
      const requests: readonly Headers[] = [
        [
          ['Content-Length', '1'],
          ['Content-Length', '2'],
        ],
        [
          ['Content-Length', '0'],
          ['Content-Length', '0'],
        ],
        [
          ['Host', host],
          ['Host', 'evil.test'],
        ],
        [
          ['Content-Length', '1'],
          ['Transfer-Encoding', 'chunked'],
        ],
        [
          ['Transfer-Encoding', 'chunked'],
          ['Transfer-Encoding', 'chunked'],
        ],
      ];
      for (const headers of requests) {
        assert.deepEqual(await arrived(host, headers, 'X'), [400, []], JSON.stringify(headers));
      }
    });
  }

  test('what a trusted proxy says twice about the client is not believed by nginx 1.26, and by its first word by 1.22', async (t) => {
    const dataplane = await nginx.dataplane(t, { listener: { trustedProxies: ['127.0.0.0/8'] }, accessLog: true });
    const backend = await startBackend(t);
    await dataplane.put({ 'b:one': endpoints([backend.port]), 'h:default/trust.test': { routes: [route('one')] } });
    const told = async (...lines: readonly string[]) => {
      const connection = await HttpConnection.open(dataplane.httpPort);
      connection.send(`GET / HTTP/1.1\r\nHost: trust.test\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`);
      const { headers } = (await connection.reply()).json<Echo>();
      connection.close();
      return [headers['x-forwarded-proto'], headers['x-forwarded-host']];
    };
    assert.deepEqual(await told('X-Forwarded-Proto: https', 'X-Forwarded-Host: a.test'), ['https', 'a.test']);
    const twice = await told(
      'X-Forwarded-Proto: https',
      'X-Forwarded-Proto: http',
      'X-Forwarded-Host: a.test',
      'X-Forwarded-Host: b.test',
      'User-Agent: one',
      'User-Agent: two',
    );
    assert.deepEqual(twice, nginx.isNewer ? ['http', 'a.test, b.test'] : ['https', 'a.test']);
    const line = await eventually('a log line', () => dataplane.accessLog.find(({ userAgent }) => userAgent !== ''));
    assert.equal(line['userAgent'], nginx.isNewer ? 'one, two' : 'one');
  });
});
