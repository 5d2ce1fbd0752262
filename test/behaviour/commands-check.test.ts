import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import Type from 'typebox';
import { Value } from 'typebox/value';
import { parse } from 'yaml';
import { Finding } from '../../src/diagnostics/finding.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { runCommand } from '../support/run-command.ts';
import type { Scope } from '../support/scope.ts';
import { startWeir } from '../support/weir.ts';

/** An error (the Service isn't there) and a warning (a misspelt annotation), behind letters that are two units long. */
const WRONG = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  {name: web, namespace: shop, labels: {mood: "🙂🙂"}, annotations: {nginx.ingress.kubernetes.io/canery: "true"}}
spec:
  rules:
    - host: shop.example
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: gone, port: {number: 80}}}}
`;
const WARNED = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: warned
  namespace: shop
  annotations:
    nginx.ingress.kubernetes.io/canery: "true"
spec:
  rules: []
`;
const GOOD = WARNED.replace('canery', 'canary').replace('warned', 'good');

function folderOf(scope: Scope, files: Readonly<Record<string, string>>): ManifestFolder {
  return new ManifestFolder(scope, files);
}

const check = (...args: string[]) => runCommand(['check', ...args]);

/** Line and column, from 1, of what stands in the text once. */
function placeOf(text: string, part: string): [line: number, column: number] {
  const lines = text.slice(0, text.indexOf(part)).split('\n');
  return [lines.length, (lines.at(-1) ?? '').length + 1];
}

const ERROR = placeOf(WRONG, 'gone');
const WARNING = placeOf(WRONG, '"true"');

async function findingsOf(...args: string[]): Promise<readonly Finding[]> {
  const { out } = await check(...args, '-o', 'json');
  return (JSON.parse(out) as { findings: Finding[] }).findings;
}

test('check as text: place, severity, code, message; object and field; fix. The count goes to standard error', async (context) => {
  const folder = folderOf(context, { 'a.yaml': WRONG, 'good.yaml': GOOD });
  const { code, out, err } = await check('-f', folder.path);
  assert.equal(code, 1);
  const file = join(folder.path, 'a.yaml');
  const lines = out.trimEnd().split('\n');
  assert.equal(lines.length, 6, out);
  assert.ok(lines[0]?.startsWith(`${file}:${WARNING.join(':')}: warning WEIR0200 `), out);
  assert.equal(lines[1], '  Ingress/shop/web metadata.annotations["nginx.ingress.kubernetes.io/canery"]');
  assert.match(lines[2] ?? '', /^ {2}fix: Did you mean nginx\.ingress\.kubernetes\.io\/canary\?/);
  assert.ok(lines[3]?.startsWith(`${file}:${ERROR.join(':')}: error WEIR0103 `), out);
  assert.equal(lines[4], '  Ingress/shop/web spec.rules[0].http.paths[0].backend.service.name');
  assert.match(lines[5] ?? '', /^ {2}fix: \S/);
  assert.equal(err, '2 objects: 1 error, 1 warning, 0 infos.\n');
});

test('check as JSON and as YAML: the same findings in the documented shape', async (context) => {
  const folder = folderOf(context, { 'a.yaml': WRONG });
  const findings = await findingsOf('-f', folder.path);
  assert.deepEqual([...Value.Errors(Type.Array(Finding), findings)], []);
  const file = join(folder.path, 'a.yaml');
  const object = { kind: 'Ingress', namespace: 'shop', name: 'web' };
  assert.deepEqual(
    findings.map(({ code, severity, object: of, file: at, line, column }) => [code, severity, of, at, line, column]),
    [
      ['WEIR0200', 'warning', object, file, ...WARNING],
      ['WEIR0103', 'error', object, file, ...ERROR],
    ],
  );
  const { code, out } = await check('-f', folder.path, '-o', 'yaml');
  assert.equal(code, 1);
  assert.deepEqual(parse(out), { findings });
});

/** What SARIF 2.1.0 requires of the parts that are used, and the values that it allows. */
const only = { additionalProperties: false };
const Text = Type.Object({ text: Type.String({ minLength: 1 }) }, only);
const Level = Type.Enum(['none', 'note', 'warning', 'error']);
const Position = Type.Integer({ minimum: 1 });
const Sarif = Type.Object(
  {
    $schema: Type.String({ pattern: '^https://.*/sarif-schema-2\\.1\\.0\\.json$' }),
    version: Type.Literal('2.1.0'),
    runs: Type.Array(
      Type.Object(
        {
          tool: Type.Object(
            {
              driver: Type.Object(
                {
                  name: Type.String({ minLength: 1 }),
                  version: Type.String(),
                  rules: Type.Array(
                    Type.Object(
                      {
                        id: Type.String({ minLength: 1 }),
                        shortDescription: Text,
                        fullDescription: Text,
                        help: Text,
                        defaultConfiguration: Type.Object({ level: Level }, only),
                      },
                      only,
                    ),
                    { uniqueItems: true },
                  ),
                },
                only,
              ),
            },
            only,
          ),
          columnKind: Type.Enum(['utf16CodeUnits', 'unicodeCodePoints']),
          results: Type.Array(
            Type.Object(
              {
                ruleId: Type.String(),
                ruleIndex: Type.Integer({ minimum: 0 }),
                level: Level,
                message: Text,
                locations: Type.Array(
                  Type.Object(
                    {
                      physicalLocation: Type.Object(
                        {
                          artifactLocation: Type.Object({ uri: Type.String() }, only),
                          region: Type.Object({ startLine: Position, startColumn: Position }, only),
                        },
                        only,
                      ),
                      logicalLocations: Type.Array(
                        Type.Object({ fullyQualifiedName: Type.String(), kind: Type.Literal('object') }, only),
                      ),
                    },
                    only,
                  ),
                ),
              },
              only,
            ),
          ),
        },
        only,
      ),
      { minItems: 1 },
    ),
  },
  only,
);

test('check as SARIF: what version 2.1.0 requires, pointing at the place', async (context) => {
  const folder = folderOf(context, { 'a b.yaml': WRONG, 'warned.yaml': WARNED });
  const { code, out } = await check('-f', folder.path, '-o', 'sarif');
  assert.equal(code, 1);
  const log: unknown = JSON.parse(out);
  assert.deepEqual([...Value.Errors(Sarif, log)], []);
  const [run] = Value.Parse(Sarif, log).runs;
  const rules = run?.tool.driver.rules.map(({ id }) => id) ?? [];
  assert.deepEqual(rules, ['WEIR0103', 'WEIR0200']);
  assert.deepEqual(
    run?.results.map(({ ruleId, ruleIndex, level, locations: [at] }) => [
      ruleId,
      rules[ruleIndex],
      level,
      decodeURIComponent(new URL(at?.physicalLocation.artifactLocation.uri ?? '').pathname),
      at?.physicalLocation.region.startLine,
      at?.physicalLocation.region.startColumn,
    ]),
    [
      ['WEIR0200', 'WEIR0200', 'warning', join(folder.path, 'a b.yaml'), ...WARNING],
      ['WEIR0103', 'WEIR0103', 'error', join(folder.path, 'a b.yaml'), ...ERROR],
      ['WEIR0200', 'WEIR0200', 'warning', join(folder.path, 'warned.yaml'), ...placeOf(WARNED, '"true"')],
    ],
  );
  // Columns are those of a text whose letters may be two units long.
  assert.equal(run?.columnKind, 'utf16CodeUnits');
});

test('check as SARIF without findings is a log without results', async (context) => {
  const { code, out } = await check('-f', folderOf(context, { 'good.yaml': GOOD }).path, '-o', 'sarif');
  assert.equal(code, 0);
  const log: unknown = JSON.parse(out);
  assert.deepEqual([...Value.Errors(Sarif, log)], []);
  assert.deepEqual(Value.Parse(Sarif, log).runs[0]?.results, []);
});

test('check for GitHub: one workflow command for each finding, at its place', async (context) => {
  const folder = folderOf(context, { 'a,b.yaml': WRONG });
  const { code, out } = await check('-f', folder.path, '-o', 'github');
  assert.equal(code, 1);
  const file = join(folder.path, 'a%2Cb.yaml');
  const lines = out.trimEnd().split('\n');
  assert.equal(lines.length, 2, out);
  const [warning = '', error = ''] = lines;
  assert.ok(
    warning.startsWith(`::warning file=${file},line=${WARNING[0]},col=${WARNING[1]},title=WEIR0200::Ingress/shop/web `),
    warning,
  );
  assert.ok(
    error.startsWith(`::error file=${file},line=${ERROR[0]},col=${ERROR[1]},title=WEIR0103::Ingress/shop/web `),
    error,
  );
  assert.match(error, /%0A\S/);
});

test('check ends with 0, 1 or 2, and --fail-on says from which severity on with 1', async (context) => {
  const wrong = folderOf(context, { 'a.yaml': WRONG }).path;
  const warned = folderOf(context, { 'a.yaml': WARNED }).path;
  const good = folderOf(context, { 'a.yaml': GOOD }).path;
  const codes = async (path: string) => {
    const failOn = ['error', 'warning'].map((severity) => check('-f', path, '--fail-on', severity));
    return (await Promise.all([check('-f', path), ...failOn])).map(({ code }) => code);
  };
  assert.deepEqual(await codes(wrong), [1, 1, 1]);
  assert.deepEqual(await codes(warned), [0, 0, 1]);
  assert.deepEqual(await codes(good), [0, 0, 0]);
  assert.deepEqual(await codes(join(good, 'nothing')), [2, 2, 2]);
  const typo = await check('-f', good, '--fail-on', 'warnings');
  assert.deepEqual([typo.code, typo.out], [2, '']);
  assert.match(typo.err, /error, warning/);
});

test('check reads folders, single files and standard input, together too', async (context) => {
  const folder = folderOf(context, { 'a.yaml': WARNED, 'sub/b.yaml': WARNED.replace('warned', 'deeper') });
  const file = join(folder.path, 'a.yaml');
  const places = (findings: readonly Finding[]) => findings.map(({ file: name, object }) => [name, object.name]);
  assert.deepEqual(places(await findingsOf('-f', file)), [[file, 'warned']]);
  assert.deepEqual(places(await findingsOf('-f', folder.path)), [
    [file, 'warned'],
    [join(folder.path, 'sub/b.yaml'), 'deeper'],
  ]);
  const stdin = WARNED.replace('warned', 'piped');
  const { out } = await runCommand(['check', '-f', file, '-f', '-', '-o', 'json'], { stdin });
  const { findings } = JSON.parse(out) as { findings: Finding[] };
  assert.deepEqual(places(findings), [
    [file, 'warned'],
    ['<stdin>', 'piped'],
  ]);
  assert.deepEqual([findings[1]?.line, findings[1]?.column], placeOf(stdin, '"true"'));
});

test('check serves the classes that the flag or the environment names', async (context) => {
  const { path } = folderOf(context, { 'a.yaml': WRONG.replace('spec:\n', 'spec:\n  ingressClassName: front\n') });
  const errors = async (args: readonly string[], env: Record<string, string> = {}) => {
    const { out } = await runCommand(['check', '-f', path, '-o', 'json', ...args], { env });
    const { findings } = JSON.parse(out) as { findings: Finding[] };
    return findings.filter(({ severity }) => severity === 'error').length;
  };
  assert.equal(await errors([]), 0);
  assert.equal(await errors(['--ingress-class', 'other', '--ingress-class', 'front']), 1);
  assert.equal(await errors([], { WEIR_INGRESS_CLASS: 'other,front' }), 1);
  assert.equal(await errors(['--ingress-class', 'other'], { WEIR_INGRESS_CLASS: 'front' }), 0);
});

test('check says what the running weir says', async (context) => {
  const folder = folderOf(context, { 'a.yaml': WRONG, 'b.yaml': WARNED, 'broken.yaml': 'kind: "Service\nspec: {}\n' });
  const weir = await startWeir(context, { manifests: folder });
  await weir.settled();
  const { items } = await weir.admin<{ items: Finding[] }>('/api/v1/diagnostics');
  const key = ({ file, line, column, code }: Finding) => `${file}:${line}:${column} ${code}`;
  const sorted = (findings: readonly Finding[]) => findings.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
  assert.deepEqual(
    sorted(items.map(({ seen: _seen, ...finding }) => finding)),
    sorted(await findingsOf('-f', folder.path)),
  );
  assert.equal(items.length, 4);
  const unclosed = items.find(({ code }) => code === 'WEIR0003');
  assert.match(unclosed?.message ?? '', /quote or bracket that was opened before this place is not closed/);
  assert.match(unclosed?.fix ?? '', /^Close the quote or bracket/);
});

test('check warns where nothing would be served: no Ingress of a class that is, or no object at all', async (context) => {
  const nginx = GOOD.replace('spec:', 'spec:\n  ingressClassName: nginx');
  const folder = folderOf(context, { 'a.yaml': nginx });
  const { code, out } = await check('-f', folder.path);
  assert.equal(code, 0);
  assert.match(out, /warning WEIR0127 No Ingress is served: 1 is of class "nginx"; served: weir\./);
  assert.match(out, /fix: Add --ingress-class nginx/);
  assert.doesNotMatch((await check('-f', folder.path, '--ingress-class', 'nginx')).out, /WEIR0127/);
  const empty = folderOf(context, {});
  const nothing = await check('-f', empty.path, '--fail-on', 'warning');
  assert.equal(nothing.code, 1);
  assert.match(nothing.out, /warning WEIR0014 There is no object in /);
});

test('check does not miss what a cluster makes, and says so, unless the manifests hold some of it', async (context) => {
  const service =
    'apiVersion: v1\nkind: Service\nmetadata: {name: gone, namespace: shop}\nspec: {ports: [{port: 80}]}\n';
  const site = `${WRONG.replace('canery: "true"', 'ssl-redirect: "true"')}  tls: [{hosts: [shop.example], secretName: made-by-cert-manager}]\n`;
  const folder = folderOf(context, { 'a.yaml': site, 'b.yaml': service });
  const { code, out, err } = await check('-f', folder.path);
  assert.equal(code, 0, out);
  assert.doesNotMatch(out, /(?:warning|error) WEIR0(?:105|300)/);
  assert.match(out, /info WEIR0015 There is no EndpointSlice or Endpoints and no Secret among the manifests/);
  assert.match(err, /^There is no EndpointSlice or Endpoints and no Secret among the manifests.*\(2\).*\n1?/);
  folder.write('c.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: shop}\n');
  const some = await findingsOf('-f', folder.path);
  assert.deepEqual(some.map((each) => each.code).sort(), ['WEIR0015', 'WEIR0300']);
});

test('check leaves the Secrets of client certificates and of backend TLS to the cluster too', async (context) => {
  const service =
    'apiVersion: v1\nkind: Service\nmetadata: {name: gone, namespace: shop}\nspec: {ports: [{port: 80}]}\n';
  const site = (annotations: string) => WRONG.replace('nginx.ingress.kubernetes.io/canery: "true"', annotations);
  const secrets = ['auth-tls-secret: shop/clients', 'backend-protocol: HTTPS, PREFIXproxy-ssl-secret: shop/inside'];
  for (const [index, code] of ['WEIR0332', 'WEIR0322'].entries()) {
    const annotations = `PREFIX${secrets[index]}`.replaceAll('PREFIX', 'nginx.ingress.kubernetes.io/');
    const folder = folderOf(context, { 'a.yaml': site(annotations), 'b.yaml': service });
    const { code: status, out } = await check('-f', folder.path);
    assert.equal(status, 0, out);
    assert.match(out, new RegExp(`info WEIR0015 .*no Secret among the manifests.*${code}`, 'u'));
    folder.write('c.yaml', 'apiVersion: v1\nkind: Secret\nmetadata: {name: other, namespace: shop}\n');
    const missed = (await findingsOf('-f', folder.path)).find((each) => each.code === code);
    assert.match(missed?.fix ?? '', /^Create the Secret, or correct its name\.$/);
    assert.match(missed?.message ?? '', /does not exist; .* answers? 503\.$/);
  }
});
