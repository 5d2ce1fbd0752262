import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Listener } from '../../../model/listener.ts';
import type { ConfigurationInput } from './configuration.ts';
import type { Directive } from './directive.ts';
import { renderConfiguration } from './render-configuration.ts';

const ORIGIN = { object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'spec' };
const HTTP: Listener = { name: 'http', scope: 'default', protocol: 'http', addresses: [], port: 80, origin: ORIGIN };
const HTTPS: Listener = { ...HTTP, name: 'https', protocol: 'https', port: 443 };

const INPUT: ConfigurationInput = {
  closed: false,
  listeners: [HTTP, HTTPS],
  profiles: [
    { name: '@grpc', protocol: 'grpc', bodyLimit: 0, origins: [] },
    { name: '@http_body_1m', protocol: 'http', bodyLimit: 1_048_576, origins: [] },
  ],
  zones: {
    data: { name: 'data', bytes: 1_048_576 },
    certificates: { name: 'certificates', bytes: 1_048_576 },
    counters: { name: 'counters', bytes: 1_048_576 },
  },
  settings: {
    nginxVersion: '1.22.1',
    modules: ['/usr/lib/nginx/modules/ngx_http_lua_module.so'],
    workers: 'auto',
    user: 'www-data',
    paths: {
      run: '/run/weir',
      dataplane: '/var/lib/weir/dataplane',
      temp: '/var/lib/weir/temp',
      errorLog: '/var/log/weir/error.log',
      accessLog: '/var/log/weir/access.log',
      defaultCertificate: '/run/weir/default.pem',
      defaultKey: '/run/weir/default.key',
    },
    errorLogLevel: 'warn',
    workerConnections: 16_384,
    openFiles: 65_536,
    workerShutdownTimeout: 240,
    upstreamKeepAlive: { connections: 320, requests: 10_000, timeoutSeconds: 60 },
  },
};

function text(directive: Directive): string {
  const args = directive.args.map((argument) => ('literal' in argument ? argument.literal : argument.variables));
  return [directive.name, ...args].join(' ');
}

/** Every directive of the tree, with the blocks around it. */
function* walk(
  tree: readonly Directive[],
  around: readonly string[] = [],
): Generator<{ line: string; around: readonly string[] }> {
  for (const directive of tree) {
    yield { line: text(directive), around };
    if (directive.block !== undefined) yield* walk(directive.block, [...around, text(directive)]);
  }
}

const lines = (input: ConfigurationInput) => [...walk(renderConfiguration(input).tree)].map(({ line }) => line);
const withListeners = (...listeners: Listener[]): ConfigurationInput => ({ ...INPUT, listeners });

describe('renderConfiguration', () => {
  it('gives equal input the same id and text, and any difference another id', () => {
    const first = renderConfiguration(INPUT);
    assert.deepEqual(renderConfiguration(structuredClone(INPUT)), first);
    assert.ok(first.text.includes(first.id));
    const others = [
      { ...INPUT, closed: true },
      withListeners(HTTP),
      { ...INPUT, profiles: [] },
      { ...INPUT, settings: { ...INPUT.settings, workers: 3 } },
    ];
    const ids = new Set([first, ...others.map(renderConfiguration)].map(({ id }) => id));
    assert.equal(ids.size, others.length + 1);
  });

  it('has no listener but the control socket while closed', () => {
    const listens = lines({ ...INPUT, closed: true }).filter((line) => line.startsWith('listen '));
    assert.deepEqual(listens, ['listen unix:/run/weir/control.sock']);
  });

  it('binds every address with reuseport, IPv4 and IPv6', () => {
    const listens = lines(withListeners(HTTP, { ...HTTPS, addresses: ['192.0.2.1', '2001:db8::1'] })).filter((line) =>
      line.startsWith('listen '),
    );
    assert.deepEqual(listens.slice(1), [
      'listen 0.0.0.0:80 reuseport',
      'listen [::]:80 reuseport',
      'listen 192.0.2.1:443 reuseport ssl http2',
      'listen [2001:db8::1]:443 reuseport ssl http2',
    ]);
  });

  it('asks for HTTP/2 in the way of the nginx version', () => {
    const newer = (listener: Listener) =>
      lines({ ...withListeners(listener), settings: { ...INPUT.settings, nginxVersion: '1.26.3' } });
    assert.ok(newer(HTTPS).includes('http2 on'));
    assert.ok(newer(HTTPS).includes('listen 0.0.0.0:443 reuseport ssl'));
    assert.ok(newer({ ...HTTPS, http2: false }).includes('http2 off'));
    assert.ok(lines(withListeners({ ...HTTPS, http2: false })).includes('listen 0.0.0.0:443 reuseport ssl'));
  });

  it('has no server-level set, and no set or router in a profile location', () => {
    for (const { line, around } of walk(renderConfiguration(INPUT).tree)) {
      const inner = around.at(-1) ?? '';
      if (line.startsWith('set ')) assert.equal(inner, 'location @weir_variables');
      if (line.startsWith('set_by_lua_block')) assert.equal(inner, 'location /');
      if (line.startsWith('rewrite_by_lua_block'))
        assert.match(inner, /^(?:if \(\$weir_leaves\)|location @weir_closing)$/u);
    }
  });

  it('believes forwarded headers only of trusted proxies, per listener', () => {
    const trusting = lines(withListeners({ ...HTTP, trustedProxies: ['10.0.0.0/8', '2001:db8::/32'] }, HTTPS));
    assert.ok(trusting.includes('set_real_ip_from 10.0.0.0/8'));
    assert.ok(trusting.includes('real_ip_header X-Forwarded-For'));
    assert.equal(trusting.filter((line) => line.startsWith('geo ')).length, 1);
    assert.ok(!lines(INPUT).some((line) => line.startsWith('geo ') || line.startsWith('real_ip')));
    const proxied = lines(withListeners({ ...HTTP, acceptProxyProtocol: true, trustedProxies: ['10.0.0.1'] }));
    assert.ok(proxied.includes('real_ip_header proxy_protocol'));
    assert.ok(!proxied.some((line) => line.startsWith('geo ')));
  });

  it('has one upstream group for each protocol in use', () => {
    const groups = lines(INPUT).filter((line) => line.startsWith('upstream '));
    assert.deepEqual(
      groups.filter((line) => !/^upstream \d+_weir_http$/.test(line)),
      ['upstream weir_grpc', 'upstream weir_http'],
    );
  });

  it('keeps no more connections idle in the spread groups together than five eighths of what a worker may have', () => {
    const { settings } = INPUT;
    const idle = (workerConnections: number, openFiles: number) =>
      [...walk(renderConfiguration({ ...INPUT, settings: { ...settings, workerConnections, openFiles } }).tree)]
        .filter(({ around }) => /^upstream \d+_weir_http$/.test(around.at(-1) ?? ''))
        .map(({ line }) => Number(/^keepalive (\d+)$/.exec(line)?.[1] ?? 0))
        .reduce((sum, connections) => sum + connections, 0);
    for (const [connections, files] of [
      [16_384, 65_536],
      [32_768, 20_000],
      [1024, 1024],
    ] as const) {
      const kept = idle(connections, files);
      assert.ok(
        kept > 0 && kept <= (Math.min(connections, files) * 5) / 8,
        `${kept} of ${connections}, ${files} files`,
      );
    }
  });

  it('never has the control token, only where it lies', () => {
    assert.match(renderConfiguration(INPUT).text, /tokenFile = "\/run\/weir\/token"/);
  });

  it('refuses a value that nginx can not be told, and names the directive', () => {
    const hostile = withListeners({ ...HTTP, addresses: ['0.0.0.0\n'] });
    assert.throws(() => renderConfiguration(hostile), /directive listen has a control character/);
    assert.throws(() => renderConfiguration(withListeners({ ...HTTP, trustedProxies: ['$host'] })), /dollar sign/);
  });

  it('writes a hostile scope as a Lua string that can not end', () => {
    const { text: rendered } = renderConfiguration(withListeners({ ...HTTP, scope: '") os.execute("x") --}' }));
    assert.ok(rendered.includes('weir.route("\\034\\041\\032os.execute'));
  });
});
