import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ingress, ingressClass, put, remove, service, slice } from '../../../test/support/resources.ts';
import type { TranslatorOptions } from '../translator.ts';
import { findingsOf, translate } from './translated.fixture.ts';

const WEB = [service(), slice()];
const HOSTS = { 'a.example': ['/'] };
const CLUSTER: Partial<TranslatorOptions> = { serveWithoutClass: false, classObjectNeeded: true };
const DEFAULT = { 'ingressclass.kubernetes.io/is-default-class': 'true' };
const served = (...args: Parameters<typeof translate>) => translate(...args).model.hosts.size === 1;

test('for manifests, class weir and no class are served without an IngressClass object, others are not', () => {
  assert.ok(served([...WEB, ingress({ hosts: HOSTS, class: 'weir' })]));
  assert.ok(served([...WEB, ingress({ hosts: HOSTS })]));
  const other = translate([...WEB, ingress({ hosts: HOSTS, class: 'nginx' })]);
  assert.equal(other.model.hosts.size, 0);
  assert.deepEqual(findingsOf(other), [
    'WEIR0127 Configuration//weir ingress-class',
    'WEIR0117 Ingress/shop/web spec.ingressClassName',
  ]);
  assert.deepEqual(
    other.findings().map(({ severity }) => severity),
    ['warning', 'info'],
  );
});

test('in a cluster a class needs its IngressClass object', () => {
  const web = [...WEB, ingress({ hosts: HOSTS, class: 'weir' })];
  assert.ok(!served(web, CLUSTER));
  assert.ok(served([...web, ingressClass({ name: 'weir' })], CLUSTER));
});

test('every class that weir is told to serve is served', () => {
  const web = [...WEB, ingress({ hosts: HOSTS, class: 'nginx' })];
  assert.ok(served(web, { ingressClasses: ['weir', 'nginx'] }));
});

test('a class whose object names another controller is not served, though it is listed', () => {
  const nginx = ingressClass({ name: 'nginx', controller: 'k8s.io/ingress-nginx' });
  for (const annotations of [undefined, { 'kubernetes.io/ingress.class': 'nginx' }]) {
    const web = ingress({ hosts: HOSTS, ...(annotations === undefined ? { class: 'nginx' } : { annotations }) });
    const translator = translate([...WEB, web, nginx], { ingressClasses: ['nginx'] });
    assert.equal(translator.model.hosts.size, 0);
    assert.deepEqual(findingsOf(translator), [
      'WEIR0127 Configuration//weir ingress-class',
      'WEIR0115 IngressClass//nginx spec.controller',
    ]);
  }
});

test('Ingresses of another controller are passed over in silence, whatever is wrong with them', () => {
  const foreign = [
    ingressClass({ name: 'alb', controller: 'ingress.k8s.aws/alb' }),
    ingress({
      class: 'alb',
      hosts: { 'bad host': ['relative'] },
      annotations: { 'nginx.ingress.kubernetes.io/x': 'y' },
    }),
  ];
  assert.deepEqual(findingsOf(translate(foreign, CLUSTER)), []);
  const beside = ingress({ name: 'beside', class: 'weir', hosts: HOSTS });
  assert.deepEqual(findingsOf(translate([...WEB, beside, ...foreign])), []);
});

test('where manifests hold Ingresses and none is served, that is said once, with the classes, until one is', () => {
  const named = (name: string, of: string) => ingress({ name, class: of, hosts: HOSTS });
  const translator = translate([...WEB, named('a', 'nginx'), named('b', 'nginx'), named('c', 'alb')]);
  const said = () => translator.findings().filter(({ code }) => code === 'WEIR0127');
  assert.deepEqual(
    said().map(({ message, fix }) => [message, fix]),
    [
      [
        'No Ingress is served: 2 are of class "nginx", 1 is of class "alb"; served: weir.',
        'Add --ingress-class nginx if weir is to serve them.',
      ],
    ],
  );
  translator.update(put(ingressClass({ name: 'nginx', controller: 'k8s.io/ingress-nginx' })));
  assert.match(said()[0]!.fix, /IngressClass nginx names controller "k8s\.io\/ingress-nginx"/);
  translator.update(put(named('c', 'weir')));
  assert.deepEqual(said(), []);
  translator.update(remove(named('c', 'weir')));
  assert.equal(said().length, 1);
  translator.update(remove(named('a', 'nginx'), named('b', 'nginx')));
  assert.deepEqual(said(), []);
});

test('the old annotation names a class without needing an object, and wins over the field', () => {
  const annotations = { 'kubernetes.io/ingress.class': 'weir' };
  assert.ok(served([...WEB, ingress({ hosts: HOSTS, annotations })], CLUSTER));
  const both = translate([...WEB, ingress({ hosts: HOSTS, annotations, class: 'nginx' })], CLUSTER);
  assert.equal(both.model.hosts.size, 1);
  assert.deepEqual(findingsOf(both), ['WEIR0118 Ingress/shop/web metadata.annotations["kubernetes.io/ingress.class"]']);
  assert.ok(
    !served([...WEB, ingress({ hosts: HOSTS, annotations: { 'kubernetes.io/ingress.class': 'x' }, class: 'weir' })]),
  );
});

test('an Ingress without class is served in a cluster only if the default class is weir’s', () => {
  const web = [...WEB, ingress({ hosts: HOSTS })];
  assert.ok(!served(web, CLUSTER));
  assert.ok(served([...web, ingressClass({ name: 'weir', annotations: DEFAULT })], CLUSTER));
  const foreign = ingressClass({ name: 'alb', controller: 'ingress.k8s.aws/alb', annotations: DEFAULT });
  assert.ok(!served([...web, foreign], CLUSTER));
  assert.ok(!served([...web, foreign]), 'another default is respected for manifests too');
});

test('of several default classes the newest counts, and all are reported', () => {
  const ours = (created: string) => ingressClass({ name: 'weir', created, annotations: DEFAULT });
  const theirs = ingressClass({
    name: 'alb',
    created: '2026-01-02T00:00:00Z',
    controller: 'x.example/y',
    annotations: DEFAULT,
  });
  const web = [...WEB, ingress({ hosts: HOSTS }), theirs];
  assert.ok(served([...web, ours('2026-01-03T00:00:00Z')]));
  const older = translate([...web, ours('2026-01-01T00:00:00Z')]);
  assert.equal(older.model.hosts.size, 0);
  assert.deepEqual(
    older.findings().map(({ code, object }) => `${code} ${object.name}`),
    ['WEIR0127 weir', 'WEIR0116 alb', 'WEIR0116 weir'],
  );
});

test('an IngressClass that changes hands takes its Ingresses along, both ways', () => {
  const translator = translate([...WEB, ingress({ hosts: HOSTS, class: 'weir' })]);
  const foreign = ingressClass({ name: 'weir', controller: 'k8s.io/ingress-nginx' });
  assert.deepEqual([...translator.update(put(foreign)).hosts], ['default/a.example']);
  assert.equal(translator.model.hosts.size, 0);
  translator.update(remove(foreign));
  assert.equal(translator.model.hosts.size, 1);
});
