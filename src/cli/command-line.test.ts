import assert from 'node:assert/strict';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { Value } from 'typebox/value';
import { runCommand as weir } from '../../test/support/run-command.ts';
import { Explanation } from '../explain/explanation.ts';

const GOOD = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  namespace: shop
spec:
  rules:
    - host: shop.example
      http:
        paths:
          - path: /
            pathType: Prefix
            backend:
              service:
                name: web
                port:
                  number: 80
---
apiVersion: v1
kind: Service
metadata: {name: web, namespace: shop}
spec: {ports: [{port: 80}]}
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
addressType: IPv4
ports: [{name: '', port: 8080}]
endpoints: [{addresses: [127.0.0.1]}]
`;
const BAD = GOOD.replace('name: web\n                port', 'name: missing\n                port');

async function folder(context: TestContext, files: Readonly<Record<string, string>>): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'weir-cli-'));
  context.after(() => rm(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
  return directory;
}

test('weir version tells its version, also as JSON, and through a symbolic link', async (context) => {
  const plain = await weir(['version']);
  assert.deepEqual([plain.code, plain.err], [0, '']);
  assert.match(plain.out, /^weir [0-9]+\.[0-9]+\.[0-9]+\nNode 26\.\S+ \(linux-\w+\)\nnginx/);
  const facts = JSON.parse((await weir(['version', '-o', 'json'])).out) as Record<string, string>;
  assert.ok(plain.out.startsWith(`weir ${facts.weir}\nNode ${facts.node} (${facts.platform})\n`), plain.out);
  const link = join(await folder(context, {}), 'weir');
  await symlink(join(import.meta.dirname, '..', '..', 'bin', 'weir'), link);
  assert.equal((await weir(['version'], { command: link })).out, plain.out);
});

test('help goes to standard output and is no error; no verb, a wrong verb or a wrong flag is', async () => {
  const help = await weir(['--help']);
  assert.equal(help.code, 0);
  for (const verb of ['run', 'check', 'render', 'explain', 'status', 'version'])
    assert.match(help.out, new RegExp(`^  ${verb} `, 'm'));
  for (const args of [[], ['fly'], ['check', '--nope'], ['check']]) {
    const { code, out, err } = await weir(args);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.notEqual(err, '');
  }
  assert.match((await weir(['run', '--help'])).out, /--http-port <PORT> .*\(default: 80\)/);
});

test('check is silent about good manifests', async (context) => {
  const { code, out, err } = await weir(['check', '-f', await folder(context, { 'a.yaml': GOOD })]);
  assert.deepEqual([code, out, err], [0, '', '3 objects: 0 errors, 0 warnings, 0 infos.\n']);
});

test('check places a finding at file, line and column, names the object and the fix, and exits 1', async (context) => {
  const directory = await folder(context, { 'a.yaml': BAD });
  const { code, out } = await weir(['check', '-f', directory]);
  assert.equal(code, 1);
  const [head, about, fix] = out.split('\n');
  assert.match(head!, /a\.yaml:15:23: error WEIR0103 .*shop\/missing/);
  assert.equal(about, '  Ingress/shop/web spec.rules[0].http.paths[0].backend.service.name');
  assert.match(fix!, /^ {2}fix: .+/);
});

test('check reads standard input', async () => {
  const { code, out } = await weir(['check', '-f', '-', '-o', 'json'], { stdin: BAD });
  assert.equal(code, 1);
  const [finding] = (JSON.parse(out) as { findings: Record<string, unknown>[] }).findings;
  assert.deepEqual([finding?.code, finding?.line, finding?.column], ['WEIR0103', 15, 23]);
});

test('check -o sarif is SARIF 2.1.0 that points at the place', async (context) => {
  const { out } = await weir(['check', '-f', await folder(context, { 'a.yaml': BAD }), '-o', 'sarif']);
  const log = JSON.parse(out);
  assert.equal(log.version, '2.1.0');
  const [run] = log.runs;
  const [result] = run.results;
  assert.deepEqual(
    [result.ruleId, result.level, run.tool.driver.rules[result.ruleIndex].id],
    ['WEIR0103', 'error', 'WEIR0103'],
  );
  const { artifactLocation, region } = result.locations[0].physicalLocation;
  assert.match(artifactLocation.uri, /^file:\/\/\/.*\/a\.yaml$/);
  assert.deepEqual(region, { startLine: 15, startColumn: 23 });
});

test('check -o github writes workflow commands', async (context) => {
  const { out } = await weir(['check', '-f', await folder(context, { 'a.yaml': BAD }), '-o', 'github']);
  assert.match(out, /^::error file=[^,]*a\.yaml,line=15,col=23,title=WEIR0103::Ingress\/shop\/web [^\n]*%0A[^\n]+\n$/);
});

test('check --fail-on decides from which severity on the status is 1', async (context) => {
  const warned = GOOD.replace(
    '  namespace: shop\nspec:',
    '  namespace: shop\n  annotations: {nginx.ingress.kubernetes.io/proxy-body-sice: 1m}\nspec:',
  );
  const directory = await folder(context, { 'a.yaml': warned });
  assert.equal((await weir(['check', '-f', directory])).code, 0);
  assert.equal((await weir(['check', '-f', directory, '--fail-on', 'warning'])).code, 1);
});

test('manifests that are not there are unreadable input, told with their path', async () => {
  for (const args of [['check'], ['render', '--to', 'model'], ['explain', 'http://a.example/']]) {
    const { code, out, err } = await weir([...args, '-f', '/nowhere/at/all']);
    assert.deepEqual([code, out], [2, ''], args.join(' '));
    assert.match(err, /\/nowhere\/at\/all/);
  }
});

test('colours are used only where they are asked for', async (context) => {
  const directory = await folder(context, { 'a.yaml': BAD });
  const escape = String.fromCharCode(27);
  assert.ok(!(await weir(['check', '-f', directory])).out.includes(escape));
  assert.ok((await weir(['check', '-f', directory], { env: { FORCE_COLOR: '1' } })).out.includes(escape));
  assert.ok(
    !(await weir(['check', '-f', directory], { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).out.includes(escape),
  );
});

test('control characters of a manifest do not reach the terminal', async (context) => {
  const directory = await folder(context, { 'a.yaml': BAD.replace('name: missing', 'name: "m\\e[31mx"') });
  const { out } = await weir(['check', '-f', directory]);
  assert.ok(out.length > 0 && !out.includes(String.fromCharCode(27)), out);
});

test('render --to model prints the model, in YAML or JSON', async (context) => {
  const directory = await folder(context, { 'a.yaml': GOOD });
  const { code, out } = await weir(['render', '-f', directory, '--to', 'model', '-o', 'json']);
  assert.equal(code, 0);
  const model = JSON.parse(out) as { hosts: { hostname: string }[]; backends: { endpoints: unknown[] }[] };
  assert.equal(model.hosts[0]?.hostname, 'shop.example');
  assert.equal(model.backends[0]?.endpoints.length, 1);
  assert.match((await weir(['render', '-f', directory, '--to', 'model'])).out, /^ {4}hostname: shop\.example$/m);
});

test('render --to nginx prints the configuration and the records', async (context) => {
  const directory = await folder(context, { 'a.yaml': GOOD });
  const { out } = await weir(['render', '-f', directory, '--to', 'nginx', '-o', 'json']);
  const { configuration, records } = JSON.parse(out) as { configuration: string; records: Record<string, unknown> };
  assert.match(configuration, /listen/);
  assert.ok('h:default/shop.example' in records);
});

test('explain says which rule wins and where the request goes', async (context) => {
  const directory = await folder(context, { 'a.yaml': GOOD });
  const { code, out } = await weir(['explain', '-f', directory, 'http://shop.example/cart?x=1']);
  assert.equal(code, 0);
  for (const part of [
    'GET http://shop.example/cart?x=1',
    'Ingress/shop/web spec.rules[0].http.paths[0]',
    '127.0.0.1:8080',
  ]) {
    assert.ok(out.includes(part), `${part} is missing in\n${out}`);
  }
  const json = await weir(['explain', '-f', directory, 'http://shop.example/', '-o', 'json']);
  assert.deepEqual([...Value.Errors(Explanation, JSON.parse(json.out))], []);
});

test('explain passes method and headers on', async (context) => {
  const directory = await folder(context, { 'a.yaml': GOOD });
  const explain = (...args: string[]) => weir(['explain', 'http://10.0.0.1/', ...args, '-f', directory, '-o', 'json']);
  const { request, outcome } = JSON.parse((await explain('-X', 'post', '-H', 'Host: shop.example')).out);
  assert.deepEqual([request.method, request.host, outcome.kind], ['POST', 'shop.example', 'forward']);
  assert.match((await explain('-H', 'nonsense')).err, /NAME:VALUE/);
});

test('explain annotation and explain code answer from the reference, and guess what was meant', async () => {
  assert.match(
    (await weir(['explain', 'annotation', 'nginx.ingress.kubernetes.io/rewrite-target'])).out,
    /rewrite-target/,
  );
  const misspelt = await weir(['explain', 'annotation', 'rewrite-traget']);
  assert.deepEqual([misspelt.code, misspelt.out], [2, '']);
  assert.match(misspelt.err, /Did you mean rewrite-target\?/);
  assert.match((await weir(['explain', 'code', 'WEIR0103'])).out, /^WEIR0103 Service not found/);
  assert.equal((await weir(['explain', 'code', 'WEIR9999'])).code, 2);
});

test('status exits 3 where no weir answers, and says at which address', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const { code, out, err } = await weir(['status', '--admin', `127.0.0.1:${port}`]);
  assert.deepEqual([code, out], [3, '']);
  assert.match(err, new RegExp(`127\\.0\\.0\\.1:${port}`));
});

test('status --wait wants a duration', async () => {
  assert.match((await weir(['status', '--wait', 'soon'])).err, /30s or 2m/);
});

test('run names every wrong setting with its place and remedy, and starts nothing', async (context) => {
  const config = join(await folder(context, { 'weir.yaml': 'htp-port: 80\nworkers: none\n' }), 'weir.yaml');
  const { code, err } = await weir(['run', '--config', config, '--https-port', '0'], {
    env: { WEIR_LOG_LEVEL: 'loud' },
  });
  assert.equal(code, 2);
  assert.match(err, /weir\.yaml:1: unknown setting "htp-port"\. Did you mean `http-port`\?/);
  assert.match(err, /weir\.yaml:2: "none" is not `auto` or a whole number from 1 to 1024/);
  assert.match(err, /flag --https-port: "0" is not a whole number from 1 to 65535/);
  assert.match(err, /environment WEIR_LOG_LEVEL: "loud" is not one of trace, debug/);
});

test('run without manifests, or with a settings file that is not there, is bad usage', async () => {
  const none = await weir(['run']);
  assert.deepEqual([none.code, none.out], [2, '']);
  assert.match(none.err, /--manifests DIR/);
  assert.match((await weir(['run', '--config', '/nowhere.yaml'])).err, /\/nowhere\.yaml can't be read \(ENOENT\)/);
});
