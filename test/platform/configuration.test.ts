import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { connect } from 'node:tls';
import {
  sampleBackend,
  sampleHost,
  sampleListener,
  sampleModel,
  sampleRoute,
} from '../../src/drivers/testing/sample-model.ts';
import { echoBackend, freePort, request } from '../integration/nginx-harness.ts';
import { forEachNginx } from './for-each-nginx.ts';

await forEachNginx((nginx) => {
  test('nginx has nothing to warn of in what weir writes, with every profile and both kinds of listener', async (t) => {
    const harness = nginx.harness(t);
    const [port, securePort] = [await freePort(), await freePort()];
    const endpoint = await echoBackend(t, 'one');
    const protocols = ['http', 'https', 'grpc', 'grpcs'] as const;
    const driver = harness.driver();
    await driver.start();
    const { quarantined } = await driver.apply(
      sampleModel({
        listeners: [
          sampleListener('http', port, { trustedProxies: ['10.0.0.0/8'] }),
          sampleListener('https', securePort),
          sampleListener('https-plain', await freePort(), { http2: false }),
        ],
        hosts: protocols.map((protocol) =>
          sampleHost(`${protocol}.example`, [sampleRoute('/', protocol, { bodyLimit: 1234 })]),
        ),
        backends: protocols.map((protocol) => sampleBackend(protocol, [[...endpoint]], { protocol })),
      }),
      undefined,
    );
    assert.deepEqual(quarantined, []);
    assert.equal((await request(port, 'http.example')).body, 'one');
    const log = readFileSync(join(harness.directory, 'log/error.log'), 'utf8');
    assert.doesNotMatch(log, /\[(?:warn|error|alert|crit|emerg)\]/u);
  });

  test('a TLS listener speaks HTTP/2 unless told not to, in the form that this nginx knows', async (t) => {
    const harness = nginx.harness(t);
    const ports = { both: await freePort(), one: await freePort() };
    const driver = harness.driver();
    await driver.start();
    await driver.apply(
      sampleModel({
        listeners: [sampleListener('https-both', ports.both), sampleListener('https-one', ports.one, { http2: false })],
        hosts: [sampleHost('a.example', [sampleRoute('/', 'b')])],
        backends: [sampleBackend('b')],
      }),
      undefined,
    );
    assert.deepEqual([await negotiated(ports.both), await negotiated(ports.one)], ['h2', 'http/1.1']);
    const text = readFileSync(join(harness.directory, 'run/nginx.conf'), 'utf8');
    assert.equal(/^\s*"?http2"? "?on"?;/mu.test(text), nginx.isNewer);
    assert.equal(/listen [^;]* "?http2"?;/u.test(text), !nginx.isNewer);
  });

  test('the modules and Lua libraries are those that came with this nginx', async () => {
    const { modules, lua, executable } = nginx.installation;
    const root = executable.replace(/\/usr\/sbin\/nginx$/u, '');
    for (const path of [...modules, ...lua.scripts, ...lua.binaries]) assert.ok(path.startsWith(`${root}/`), path);
    assert.equal(modules.length, 2);
    assert.equal(lua.scripts.length > 0, root !== '');
  });
});

/** What the server chooses of HTTP/2 and HTTP/1.1. */
function negotiated(port: number): Promise<string | false | null> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', ALPNProtocols: ['h2', 'http/1.1'], rejectUnauthorized: false };
    const socket = connect({ ...options, servername: 'a.example' }, () => {
      resolve(socket.alpnProtocol);
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
