import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from './config-error.ts';
import { loadSettings, type SettingSources } from './load-settings.ts';

const nothing: SettingSources = { flags: {}, environment: { HOME: '/home/ada' }, uid: 1000 };

function problemsOf(sources: Partial<SettingSources>): ConfigError['problems'] {
  try {
    loadSettings({ ...nothing, ...sources });
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems;
  }
  assert.fail('the settings were accepted');
}

test('without anything given, every setting has its documented default', () => {
  const settings = loadSettings(nothing);
  assert.equal(settings['http-port'], 80);
  assert.equal(settings['https-port'], 443);
  assert.equal(settings['admin-address'], '127.0.0.1:9180');
  assert.deepEqual(settings['ingress-class'], ['weir']);
  assert.equal(settings['leave-nginx'], false);
  assert.equal(settings['admin-token-file'], undefined);
});

test('a flag beats the environment, which beats the file, which beats the default', () => {
  const file = { name: 'weir.yaml', text: 'http-port: 1001\nhttps-port: 1002\nlog-level: debug\n' };
  const environment = { WEIR_HTTP_PORT: '2001', WEIR_HTTPS_PORT: '2002' };
  const settings = loadSettings({ flags: { 'http-port': '3001' }, environment, file, uid: 0 });
  assert.equal(settings['http-port'], 3001);
  assert.equal(settings['https-port'], 2002);
  assert.equal(settings['log-level'], 'debug');
  assert.equal(settings.workers, 'auto');
});

test('a list is a repeated flag, a comma-separated variable or a YAML list, and replaces that of a lower layer', () => {
  const file = { name: 'weir.yaml', text: 'ingress-class: [a, b]\nmanifests: one\n' };
  assert.deepEqual(loadSettings({ ...nothing, file })['ingress-class'], ['a', 'b']);
  assert.deepEqual(loadSettings({ ...nothing, file }).manifests, ['one']);
  const environment = { WEIR_INGRESS_CLASS: 'c, d' };
  assert.deepEqual(loadSettings({ ...nothing, file, environment })['ingress-class'], ['c', 'd']);
  const flags = { 'ingress-class': ['e', 'f'] };
  assert.deepEqual(loadSettings({ ...nothing, file, environment, flags })['ingress-class'], ['e', 'f']);
});

test('a wrong value names its key, its place and what it must be', () => {
  const [problem] = problemsOf({ environment: { WEIR_HTTP_PORT: '99999' } });
  assert.equal(problem?.key, 'http-port');
  assert.equal(problem?.place, 'environment WEIR_HTTP_PORT');
  assert.match(problem!.remedy, /whole number from 1 to 65535/);
  const [inFile] = problemsOf({ file: { name: 'weir.yaml', text: '# ports\n\nhttp-port: many\n' } });
  assert.equal(inFile?.place, 'weir.yaml:3');
});

test('all problems are told at once', () => {
  const problems = problemsOf({ flags: { 'http-port': 'x', workers: '0', 'admin-address': 'nowhere' } });
  assert.deepEqual(problems.map((problem) => problem.key).sort(), ['admin-address', 'http-port', 'workers']);
});

test('an unknown key is refused with the nearest one as a hint', () => {
  assert.match(problemsOf({ file: { name: 'f', text: 'htp-port: 80' } })[0]!.remedy, /`http-port`/);
  assert.match(problemsOf({ environment: { WEIR_STATEDIR: '/x' } })[0]!.remedy, /`WEIR_STATE_DIR`/);
  assert.match(problemsOf({ file: { name: 'f', text: 'zzzzzzzzzz: 1' } })[0]!.remedy, /config\.md/);
});

test('a file that is not YAML, or not a mapping, is told with its line', () => {
  assert.equal(problemsOf({ file: { name: 'f', text: 'a: [1,\n' } })[0]!.place.slice(0, 2), 'f:');
  assert.match(problemsOf({ file: { name: 'f', text: '- a\n' } })[0]!.message, /not a mapping/);
  assert.equal(loadSettings({ ...nothing, file: { name: 'f', text: '' } })['http-port'], 80);
});

test('state goes to /var/lib for root and to the user’s own state folder otherwise', () => {
  assert.equal(loadSettings({ ...nothing, uid: 0 })['state-dir'], '/var/lib/weir');
  assert.equal(loadSettings(nothing)['state-dir'], '/home/ada/.local/state/weir');
  const environment = { HOME: '/home/ada', XDG_STATE_HOME: '/state' };
  assert.equal(loadSettings({ ...nothing, environment })['state-dir'], '/state/weir');
});

test('booleans and workers are read from text', () => {
  assert.equal(loadSettings({ ...nothing, environment: { WEIR_LEAVE_NGINX: 'yes', WEIR_WORKERS: '4' } }).workers, 4);
  assert.equal(loadSettings({ ...nothing, environment: { WEIR_LEAVE_NGINX: 'yes' } })['leave-nginx'], true);
  assert.equal(problemsOf({ flags: { 'leave-nginx': 'maybe' } })[0]?.key, 'leave-nginx');
});

test('variables that Kubernetes sets for a Service called weir are not taken for settings', () => {
  const environment = {
    WEIR_SERVICE_HOST: '10.0.0.1',
    WEIR_PORT_80_TCP_ADDR: '10.0.0.1',
    WEIR_PORT: 'tcp://10.0.0.1:80',
  };
  assert.equal(loadSettings({ ...nothing, environment })['http-port'], 80);
});

test('trusted proxies are addresses or ranges of them', () => {
  const given = (text: string) => ({ ...nothing, environment: { WEIR_TRUSTED_PROXIES: text } });
  assert.deepEqual(loadSettings(given('10.0.0.0/8, 2001:db8::1'))['trusted-proxies'], ['10.0.0.0/8', '2001:db8::1']);
  assert.match(problemsOf(given('10.0.0.0/33'))[0]!.remedy, /10\.0\.0\.0\/8/);
  assert.equal(problemsOf(given('proxy.example; }'))[0]!.key, 'trusted-proxies');
});

test('DNS servers are addresses, with a port or without', () => {
  const given = (text: string) => ({ ...nothing, environment: { WEIR_DNS_SERVER: text } });
  const servers = ['10.96.0.10', '127.0.0.1:5353', '[fd00::a]', '[fd00::a]:53'];
  assert.deepEqual(loadSettings(given(servers.join(',')))['dns-server'], servers);
  for (const wrong of ['10.96.0.999', 'dns.example', 'fd00::a', '10.96.0.10:0', '10.96.0.10:70000', '[10.0.0']) {
    assert.match(problemsOf(given(wrong))[0]?.remedy ?? '', /10\.96\.0\.10/, wrong);
  }
});

test('HTTP and HTTPS have a port each', () => {
  assert.equal(problemsOf({ flags: { 'http-port': '8443', 'https-port': '8443' } })[0]?.key, 'https-port');
});
