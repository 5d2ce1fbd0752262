import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Finding } from '../../diagnostics/finding.ts';
import { fieldPath } from './field-path.ts';
import { DocumentPlaces } from './document-places.ts';
import { FilePlaces } from './file-places.ts';

const INGRESS = `apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: web
  annotations:
    nginx.ingress.kubernetes.io/canary: "yes"
    note: |
      long
spec:
  rules:
    - host: a.example
      http:
        paths:
          - {path: /a, pathType: Exact}
          - path: '/b'
            pathType: Prefix
`;

function finding(field: string, name = 'web', line = 1): Finding {
  const object = { kind: 'Ingress', namespace: 'default', name };
  return { code: 'WEIR0101', severity: 'error', object, field, message: '', fix: '', file: 'a.yaml', line };
}
const locate = async (text: string, about: Finding): Promise<Finding> => {
  const [located = about] = await new FilePlaces(text).locate([{ finding: about, line: about.line }]);
  return located;
};
const at = async (text: string, about: Finding) => {
  const { line, column } = await locate(text, about);
  return [line, column];
};

test('a field path is read step by step', () => {
  assert.deepEqual(fieldPath('spec.rules[0].http.paths[12].path'), ['spec', 'rules', 0, 'http', 'paths', 12, 'path']);
  assert.deepEqual(fieldPath('metadata.annotations["a.b/c\\"d"].x'), ['metadata', 'annotations', 'a.b/c"d', 'x']);
  assert.deepEqual(fieldPath(''), []);
});

test('a field is placed at its value, or at its key where the value stands below it', async () => {
  const cases: readonly [string, number, number][] = [
    ['', 1, 1],
    ['metadata.name', 4, 9],
    ['metadata.annotations', 5, 3],
    ['metadata.annotations["nginx.ingress.kubernetes.io/canary"]', 6, 41],
    ['metadata.annotations["note"]', 7, 5],
    ['spec.rules[0]', 11, 7],
    ['spec.rules[0].host', 11, 13],
    ['spec.rules[0].http.paths[0]', 14, 13],
    ['spec.rules[0].http.paths[0].pathType', 14, 34],
    ['spec.rules[0].http.paths[1].path', 15, 19],
  ];
  for (const [field, line, column] of cases) assert.deepEqual(await at(INGRESS, finding(field)), [line, column], field);
});

test('where the field is absent, its nearest parent is named', async () => {
  assert.deepEqual(await at(INGRESS, finding('spec.rules[0].http.paths[1].backend.service')), [15, 13]);
  assert.deepEqual(await at(INGRESS, finding('spec.tls[0].hosts')), [9, 1]);
  assert.deepEqual(await at(INGRESS, finding('status')), [1, 1]);
});

test('the object is found in a later document, in a List, and after the file has changed', async () => {
  const other = INGRESS.replace('name: web', 'name: other');
  assert.deepEqual(await at(`# x\n---\n${other}---\n${INGRESS}`, finding('metadata.name', 'web', 3)), [23, 9]);
  const list =
    'apiVersion: v1\nkind: List\nitems:\n- {kind: Pod}\n- apiVersion: networking.k8s.io/v1\n  kind: Ingress\n  metadata:\n    name: web\n';
  assert.deepEqual(await at(list, finding('metadata.name')), [8, 11]);
});

test('aliases are followed', async () => {
  const text = 'apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: web}\nx: &x\n  y: 1\nspec: *x\n';
  assert.deepEqual(await at(text, finding('spec')), [6, 7]);
  assert.deepEqual(await at(text, finding('spec.y')), [5, 6]);
});

test('JSON is placed like YAML', async () => {
  const text = JSON.stringify(
    { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: 'web' } },
    null,
    '\t',
  );
  assert.deepEqual(await at(text, finding('metadata.name')), [5, 11]);
});

test('a finding about an object that is not there stays as it is', async () => {
  const about = finding('spec', 'nobody');
  assert.equal(await locate(INGRESS, about), about);
});

test('each document is parsed once for all findings in it, also when they stand in another than expected', async () => {
  let parsed = 0;
  const documents = 50;
  const items = 40;
  const name = (document: number, item: number) => `n${document}-${item}`;
  const item = (of: string) =>
    JSON.stringify({ apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', metadata: { name: of } });
  const list = (_: unknown, document: number) =>
    `{"kind": "List", "items": [\n${Array.from({ length: items }, (_item, at) => item(name(document, at))).join(',\n')}\n]}\n`;
  const text = Array.from({ length: documents }, list).join('---\n');
  const line = (document: number, at: number) => document * (items + 3) + 2 + at;
  const places = new FilePlaces(text, (document) => {
    parsed += 1;
    return new DocumentPlaces(document);
  });
  const locateAll = async (shift: number) => {
    const wanted = Array.from({ length: items * documents }, (_, number) => {
      // In turn one of each document, as findings sorted by name are.
      const document = number % documents;
      const about = finding('metadata.name', name(document, Math.floor(number / documents)));
      return { finding: about, line: document * (items + 3) + 1 + shift };
    });
    const located = await places.locate(wanted);
    assert.deepEqual(
      located.map((each) => each.line),
      wanted.map((_, number) => line(number % documents, Math.floor(number / documents))),
    );
  };
  await locateAll(0);
  assert.equal(parsed, documents);
  await locateAll(items + 3);
  assert.ok(parsed <= 4 * documents, `${parsed} parsed`);
});
