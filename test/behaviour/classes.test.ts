import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { startBackend } from '../support/backends/echo-backend.ts';
import { backendService, ingress, ingressClass } from '../support/manifests.ts';
import { ServedFolder } from '../support/served-folder.ts';
import { suiteScope } from '../support/suite-scope.ts';

const ANNOTATION = 'kubernetes.io/ingress.class';
const scope = suiteScope();
let site: ServedFolder;

before(async () => {
  site = await ServedFolder.start(scope, { args: ['--ingress-class', 'weir', '--ingress-class', 'nginx'] });
  const backend = await startBackend(scope, { name: 'one' });
  await site.write('service.yaml', backendService({ name: 'one', endpoints: [backend] }));
});

const classed = (name: string, className?: string, annotation?: string) =>
  ingress({
    name,
    host: `${name}.test`,
    paths: [{ service: 'one' }],
    ...(className === undefined ? {} : { className }),
    ...(annotation === undefined ? {} : { annotations: { [ANNOTATION]: annotation } }),
  });

test('Ingresses of the classes asked for are served, with or without an IngressClass object', async () => {
  await site.write('served.yaml', [classed('of-weir', 'weir'), classed('of-nginx', 'nginx')]);
  assert.equal(await site.answer('of-weir.test'), 'one');
  assert.equal(await site.answer('of-nginx.test'), 'one');
  await site.write('own-class.yaml', [ingressClass('weir')]);
  assert.equal(await site.answer('of-weir.test'), 'one');
  await site.remove('own-class.yaml');
  assert.deepEqual(await site.findings(), []);
});

test('an Ingress of another class is not served, and is told so', async () => {
  const text = JSON.stringify(classed('of-traefik', 'traefik'));
  await site.write('other.json', text);
  assert.equal(await site.answer('of-traefik.test'), '404');
  await site.reports({
    code: 'WEIR0117',
    severity: 'info',
    object: 'Ingress default/of-traefik',
    field: 'spec.ingressClassName',
    file: 'other.json',
    at: '"traefik"',
  });
  await site.remove('other.json');
});

test('a class whose object names another controller is left to it, though it was asked for', async () => {
  await site.write('mine.yaml', [classed('contended', 'nginx'), classed('unconcerned', 'weir')]);
  assert.equal(await site.answer('contended.test'), 'one');
  await site.write('class.json', JSON.stringify(ingressClass('nginx', 'k8s.io/ingress-nginx')));
  assert.equal(await site.answer('contended.test'), '404');
  assert.equal(await site.answer('unconcerned.test'), 'one');
  await site.reports({
    code: 'WEIR0115',
    severity: 'warning',
    object: 'IngressClass nginx',
    field: 'spec.controller',
    file: 'class.json',
    at: '"k8s.io/ingress-nginx"',
  });
  assert.deepEqual(await site.findings('name=contended'), []);
  await site.remove('class.json');
  assert.equal(await site.answer('contended.test'), 'one');
});

test('an Ingress without a class is served', async () => {
  await site.write('classless.yaml', [classed('classless')]);
  assert.equal(await site.answer('classless.test'), 'one');
  assert.deepEqual(await site.findings('name=classless'), []);
});

test('an Ingress without a class belongs to the default class, whoever’s that is', async () => {
  await site.write('defaulted.yaml', [classed('defaulted'), classed('explicit', 'weir')]);
  await site.write('default.yaml', [ingressClass('traefik', 'traefik.io/ingress-controller', true)]);
  assert.equal(await site.answer('defaulted.test'), '404');
  assert.equal(await site.answer('explicit.test'), 'one');
  await site.write('default.yaml', [ingressClass('weir', 'weir.dev/ingress-controller', true)]);
  assert.equal(await site.answer('defaulted.test'), 'one');
  await site.remove('default.yaml');
  assert.equal(await site.answer('defaulted.test'), 'one');
});

test('the old annotation names the class, and wins over the field', async () => {
  await site.write('old.yaml', [classed('old', undefined, 'nginx'), classed('old-other', undefined, 'haproxy')]);
  const both = JSON.stringify(classed('both', 'traefik', 'weir'));
  await site.write('both.json', both);
  assert.equal(await site.answer('old.test'), 'one');
  assert.equal(await site.answer('old-other.test'), '404');
  assert.equal(await site.answer('both.test'), 'one');
  await site.reports({
    code: 'WEIR0118',
    severity: 'warning',
    object: 'Ingress default/both',
    field: `metadata.annotations["${ANNOTATION}"]`,
    file: 'both.json',
    at: '"weir"',
  });
});
