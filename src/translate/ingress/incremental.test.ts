import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { applyDelta, mergeDeltas } from '../../model/diff.ts';
import { emptyModel, type Model, type ModelDelta } from '../../model/model.ts';
import { validateModel } from '../../model/validate.ts';
import { encodeModel } from '../../model/codec.ts';
import { type Resource, type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import type { NameAnswer, TranslatorOptions } from '../translator.ts';
import { ingress, ingressClass, put, resource, service, slice, tlsSecret } from '../../../test/support/resources.ts';
import { selfSigned } from '../tls/pairs.fixture.ts';
import { IngressTranslator } from './ingress-translator.ts';
import { NOW, OPTIONS } from './translated.fixture.ts';

const validity = { notBefore: new Date(NOW.getTime() - 86_400_000), notAfter: new Date(NOW.getTime() + 5e9) };
const PAIRS = [
  await selfSigned(['a.example'], validity),
  await selfSigned(['*.example'], { ...validity, keyType: 'rsa' }),
  await selfSigned(['b.example'], { ...validity, notAfter: new Date(NOW.getTime() - 3_600_000) }),
  await selfSigned(['a.example', 'b.example'], { ...validity, notAfter: new Date(NOW.getTime() + 3_600_000) }),
];

const namespace = fc.constantFrom('n', 'm');
const created = fc.constantFrom(undefined, '2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z');
const serviceName = fc.constantFrom('s', 't', 'u');
const PREFIX = 'nginx.ingress.kubernetes.io/';
const annotations = fc
  .uniqueArray(
    fc.constantFrom<[string, string]>(
      [`${PREFIX}use-regex`, 'true'],
      [`${PREFIX}rewrite-target`, '/'],
      [`${PREFIX}canary`, 'true'],
      [`${PREFIX}canary-weight`, '30'],
      [`${PREFIX}backend-protocol`, 'GRPC'],
      [`${PREFIX}service-upstream`, 'true'],
      [`${PREFIX}force-ssl-redirect`, 'true'],
      [`${PREFIX}auth-url`, 'http://auth'],
      [`${PREFIX}upstream-hash-by`, '$request_uri'],
      [`${PREFIX}no-such-key`, 'x'],
      ['kubernetes.io/ingress.class', 'weir'],
      ['kubernetes.io/ingress.class', 'other'],
    ),
    { maxLength: 3, selector: ([key]) => key },
  )
  .map((entries): Record<string, string> => Object.fromEntries(entries));
const port = fc.constantFrom('80', 'http', '81');
const path = fc.record({
  path: fc.constantFrom('/', '/a', '/a/', '/A', '/a/b', '/(x', 'bad', '/\n'),
  type: fc.constantFrom('Prefix', 'Exact', 'ImplementationSpecific', 'Nonsense'),
  to: fc.tuple(serviceName, port).map(([name, number]) => `${name}:${number}`),
});
const hosts = fc.dictionary(
  fc.constantFrom('', 'a.example', 'B.example', '*.example', 'no host'),
  fc.array(path, { maxLength: 3 }),
  {
    maxKeys: 3,
  },
);
const tls = fc.array(
  fc.record(
    {
      hosts: fc.uniqueArray(fc.constantFrom('a.example', 'b.example', '*.example', 'c.example'), { maxLength: 2 }),
      secretName: fc.constantFrom('x', 'y', 'z'),
    },
    { requiredKeys: [] },
  ),
  { maxLength: 2 },
);

const ingresses = fc
  .record({
    name: fc.constantFrom('i', 'j', 'k'),
    namespace,
    created,
    annotations,
    hosts,
    tls,
    class: fc.constantFrom(undefined, 'weir', 'other', 'second'),
    defaultTo: fc.constantFrom(undefined, undefined, 's:80', 't:http'),
    file: fc.constantFrom(undefined, 'a.yaml'),
  })
  .map((sketch) => ingress(withoutUndefined(sketch) as Parameters<typeof ingress>[0]));
const badIngresses = fc
  .record({ name: fc.constantFrom('i', 'j', 'k'), namespace })
  .map((named) => resource('Ingress', named, { spec: { rules: [{ host: 5 }] } }));
const services = fc
  .record({
    name: serviceName,
    namespace,
    spec: fc.constantFrom<Record<string, unknown>>(
      { ports: [{ port: 80 }] },
      { ports: [{ name: 'http', port: 80 }] },
      { ports: [{ name: 'http', port: 80, targetPort: 8080 }], clusterIP: 'None' },
      { type: 'ExternalName', externalName: 'out.example', ports: [] },
      { type: 'ExternalName', externalName: 't.n.svc.cluster.local', ports: [] },
      { type: 'ExternalName', externalName: 's.n.svc', ports: [] },
      { type: 'ExternalName', externalName: '', ports: [] },
    ),
  })
  .map(service);
const slices = fc
  .record({
    name: fc.constantFrom('e', 'f'),
    namespace,
    of: serviceName,
    endpoints: fc.uniqueArray(
      fc.constantFrom<unknown>(
        '10.0.0.1',
        '10.0.0.2',
        '169.254.1.1',
        { addresses: ['10.0.0.3'], conditions: { ready: false, serving: true, terminating: true } },
        { addresses: ['10.0.0.1'], conditions: { ready: false } },
      ),
      { maxLength: 3 },
    ),
    ports: fc.constantFrom([{ port: 8080 }], [{ name: 'http', port: 8081 }], []),
    addressType: fc.constantFrom('IPv4', 'FQDN'),
  })
  .map(slice);
const endpoints = fc.record({ name: serviceName, namespace }).map((named) =>
  resource('Endpoints', named, {
    subsets: [{ addresses: [{ ip: '10.1.0.1' }], ports: [{ port: 9090 }, { name: 'http', port: 9091 }] }],
  }),
);
const secrets = fc
  .record({
    name: fc.constantFrom('x', 'y', 'z'),
    namespace,
    cert: fc.constantFrom(...PAIRS),
    key: fc.constantFrom(...PAIRS),
    whole: fc.boolean(),
  })
  .map(({ name, namespace: of, cert, key, whole }) =>
    tlsSecret({ name, namespace: of, certificate: cert.certificate, key: (whole ? cert : key).key }),
  );
const classes = fc
  .record({
    name: fc.constantFrom('weir', 'second', 'other'),
    created,
    controller: fc.constantFrom('weir.dev/ingress-controller', 'k8s.io/ingress-nginx'),
    isDefault: fc.boolean(),
  })
  .map(({ isDefault, ...sketch }) =>
    ingressClass({
      ...(withoutUndefined(sketch) as { name: string }),
      annotations: { 'ingressclass.kubernetes.io/is-default-class': String(isDefault) },
    }),
  );

const resources: fc.Arbitrary<Resource> = fc.oneof(
  { weight: 8, arbitrary: ingresses },
  { weight: 1, arbitrary: badIngresses },
  { weight: 5, arbitrary: services },
  { weight: 5, arbitrary: slices },
  { weight: 1, arbitrary: endpoints },
  { weight: 4, arbitrary: secrets },
  { weight: 2, arbitrary: classes },
);
const changes: fc.Arbitrary<ResourceChange> = fc.oneof(
  { weight: 5, arbitrary: resources.map((item): ResourceChange => ({ type: 'put', resource: item })) },
  { weight: 1, arbitrary: resources.map(({ ref }): ResourceChange => ({ type: 'delete', ref })) },
);

function withoutUndefined(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

const ANSWERS: Readonly<Record<string, NameAnswer>> = {
  'out.example': { addresses: ['192.0.2.1', '127.0.0.1'] },
  's.n.svc': { error: 'no such name' },
};

function answerAll(translator: IngressTranslator): ModelDelta {
  const names = [...translator.neededNames()];
  return mergeDeltas(...names.map((name) => translator.resolved(name, ANSWERS[name] ?? { addresses: [] })));
}

function shown(translator: IngressTranslator): unknown {
  return { model: encodeModel(translator.model, { secrets: 'reveal' }), findings: translator.findings() };
}

/** What a source would deliver at once: each object as it is, and before it the good version that an update of the wrong shape left in force. */
function finalObjects(batches: readonly (readonly ResourceChange[])[]): readonly (readonly Resource[])[] {
  const objects = new Map<string, Resource[]>();
  for (const change of batches.flat()) {
    if (change.type === 'delete') {
      objects.delete(resourceKey(change.ref));
      continue;
    }
    const key = resourceKey(change.resource.ref);
    const isBad = JSON.stringify(change.resource.body).includes('"host":5');
    const good = objects.get(key)?.filter(({ body }) => !JSON.stringify(body).includes('"host":5')) ?? [];
    objects.set(key, isBad ? [...good, change.resource] : [change.resource]);
  }
  return [...objects.values()];
}

for (const [name, options] of [
  ['for manifests', { ingressClasses: ['weir', 'second'], defaultCertificate: { namespace: 'n', name: 'x' } }],
  [
    'in a cluster',
    {
      ingressClasses: ['weir', 'second'],
      serveWithoutClass: false,
      classObjectNeeded: true,
      allowLoopbackEndpoints: false,
    },
  ],
] as [string, Partial<TranslatorOptions>][]) {
  test(`any sequence of changes leads where the final objects lead in any order, ${name}`, () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(changes, { minLength: 1, maxLength: 4 }), { maxLength: 30 }),
        fc.infiniteStream(fc.nat()),
        (batches, order) => {
          const incremental = new IngressTranslator({ ...OPTIONS, ...options });
          let mirror: Model = emptyModel();
          for (const batch of batches) {
            const delta = incremental.update(batch);
            mirror = applyDelta(mirror, incremental.model, mergeDeltas(delta, answerAll(incremental)));
          }
          mirror = applyDelta(mirror, incremental.model, incremental.update([]));
          const fresh = new IngressTranslator({ ...OPTIONS, ...options });
          const objects = finalObjects(batches)
            .map((versions) => ({ versions, rank: order.next().value as number }))
            .sort((a, b) => a.rank - b.rank)
            .flatMap(({ versions }) => versions);
          fresh.update(put(...objects));
          answerAll(fresh);
          answerAll(incremental);
          assert.deepEqual(shown(incremental), shown(fresh));
          assert.deepEqual(validateModel(incremental.model), []);
          assert.deepEqual(mirror, incremental.model, 'the deltas tell everything that changed');
        },
      ),
      { numRuns: 200 },
    );
  });
}
