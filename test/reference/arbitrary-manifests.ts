import fc from 'fast-check';
import { arbitraryCanaryRules } from './arbitrary-canary.ts';
import { arbitraryServices, NAMESPACES, SERVICES } from './arbitrary-services.ts';
import type { IngressManifest, IngressPath, Manifest, ServiceReference } from './manifest.ts';

/** Few names, so that Ingresses meet. */
const HOSTS = ['a.test', 'b.test', '*.test', 'x.a.test', '*.a.test'] as const;
const ODD_HOSTS = ['A.Test', 'a.test:80', 'b.test.'] as const;
const PLAIN_PATHS = ['/', '/a', '/a/', '/a/b', '/A', '/ab', '/a/b/c', '/foo', '/foo/'] as const;
const ODD_PATHS = ['/a b', '/é', '/a.b', '/a%20b', '/a//b', '/a/../b', '/a?b', '/a;b', 'a', ''] as const;
const PATTERNS = [
  '/a(/|$)(.*)',
  '/(.*)',
  '/a/(b|c)',
  '/[a-z]+',
  '/a/([^/]+)/(.*)',
  '/a$',
  '/(a)(b)?(.*)',
  '/a\\.b',
  '/foo|/a',
  '/v[0-9]+/(?:x|y)',
] as const;
const TIMES = ['2026-01-01T00:00:00Z', '2026-02-01T00:00:00Z', '2026-02-01T00:00:01Z'] as const;

const FEATURES: readonly Readonly<Record<string, string>>[] = [
  { 'use-regex': 'true' },
  { 'rewrite-target': '/' },
  { 'rewrite-target': '/$1' },
  { 'rewrite-target': '/$2' },
  { 'rewrite-target': '/x/$1/$3' },
  { 'rewrite-target': '/new' },
  { 'rewrite-target': '/$1/$2' },
  { 'rewrite-target': '/$host' },
  { 'ssl-redirect': 'false' },
  { 'force-ssl-redirect': 'true' },
  { 'permanent-redirect': 'https://moved.invalid/home?a=1' },
  { 'temporal-redirect': 'https://moved.invalid/for-now' },
  { 'upstream-vhost': 'inner.invalid' },
  { 'auth-url': 'https://auth.invalid/check' },
];

const backend: fc.Arbitrary<ServiceReference> = fc.record({
  service: fc.record({
    name: often(8, fc.constantFrom<string>(...SERVICES), fc.constant('ghost')),
    port: often<ServiceReference['service']['port']>(
      8,
      fc.constantFrom({ number: 80 }, { name: 'web' }, { number: 81 }, { name: 'alt' }),
      fc.constantFrom({ number: 9 }, { name: 'none' }),
    ),
  }),
});

const path: fc.Arbitrary<IngressPath> = fc
  .record({
    path: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<string>(...PLAIN_PATHS) },
      { weight: 3, arbitrary: fc.constantFrom<string>(...PATTERNS) },
      { weight: 1, arbitrary: fc.constantFrom<string>(...ODD_PATHS) },
    ),
    pathType: often<string>(
      15,
      fc.constantFrom('Prefix', 'Prefix', 'Exact', 'ImplementationSpecific'),
      fc.constant('Odd'),
    ),
    backend,
  })
  .map(({ path: text, ...rest }) => (text === '' ? rest : { path: text, ...rest }));

const host = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<string>(...HOSTS) },
  { weight: 1, arbitrary: fc.constantFrom<string>(...ODD_HOSTS) },
  { weight: 2, arbitrary: fc.constant(undefined) },
);

const rule = fc
  .record({ host, paths: fc.array(path, { minLength: 1, maxLength: 3 }) })
  .map(({ host: name, paths }) => ({ ...(name === undefined ? {} : { host: name }), http: { paths } }));

const metadata = {
  namespace: often(3, fc.constant<string>(NAMESPACES[0]), fc.constant<string>(NAMESPACES[1])),
  created: fc.option(fc.constantFrom(...TIMES), { freq: 3, nil: undefined }),
  className: often<string | undefined>(12, fc.constantFrom(undefined, 'weir'), fc.constant('other')),
};

const mainIngress = fc.record({
  ...metadata,
  rules: often(6, fc.array(rule, { minLength: 1, maxLength: 2 }), fc.constant<Drawn<typeof rule>[]>([])),
  defaultBackend: often<ServiceReference | undefined>(3, fc.constant(undefined), backend),
  /** Which of its own hosts have TLS. */
  tls: often(4, fc.constant(0), fc.constantFrom(1, 2, 3)),
  annotations: fc.oneof(
    { weight: 5, arbitrary: fc.constant({}) },
    { weight: 4, arbitrary: fc.constantFrom(...FEATURES) },
  ),
  /** Where a path looks like one, and nothing else is annotated. */
  regex: often(3, fc.constant(true), fc.constant(false)),
});

/** A canary of the path of that number among those of the main Ingresses, most often in the namespace of that one. */
const canaryIngress = fc.record({
  of: fc.nat(20),
  elsewhere: often(8, fc.constant(false), fc.constant(true)),
  created: metadata.created,
  backend,
  rules: arbitraryCanaryRules,
});

/** One path with canaries, and nothing else that could answer for them. */
const mainOfCanaries = fc.record({
  namespace: fc.constant<string>(NAMESPACES[0]),
  created: metadata.created,
  className: fc.constant(undefined),
  rules: fc.tuple(
    fc.record({
      host: fc.constant('a.test'),
      http: fc.record({
        paths: fc.tuple(fc.record({ path: fc.constantFrom('/', '/a'), pathType: fc.constant('Prefix'), backend })),
      }),
    }),
  ),
  defaultBackend: fc.constant(undefined),
  tls: fc.constant(0),
  annotations: fc.constant({}),
  regex: fc.constant(false),
});

/** Whole sets of manifests, whose endpoints all listen on `port`. */
export function arbitraryManifests(port: number): fc.Arbitrary<readonly Manifest[]> {
  const services = arbitraryServices(port);
  return fc
    .oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          mains: fc.array<Drawn<typeof mainIngress>>(mainIngress, { minLength: 1, maxLength: 5 }),
          canaries: fc.array(canaryIngress, { maxLength: 3 }),
          services,
        }),
      },
      {
        weight: 1,
        arbitrary: fc.record({
          mains: fc.array<Drawn<typeof mainIngress>>(mainOfCanaries, { minLength: 1, maxLength: 1 }),
          canaries: fc.array(canaryIngress, { minLength: 1, maxLength: 2 }),
          services,
        }),
      },
    )
    .map(({ mains, canaries, services }) => {
      const built = mains
        .map((main, index) => buildMain(main, `i${index}`))
        // The API refuses an Ingress without rules and without a default backend.
        .filter(({ spec }) => spec.rules !== undefined || spec.defaultBackend !== undefined);
      const paths = built.flatMap(({ metadata: { namespace }, spec: { rules = [] } }) =>
        rules.flatMap(({ host: name, http }) => http.paths.map((one) => ({ namespace, host: name, path: one }))),
      );
      const added = canaries.flatMap((canary, index) => {
        const main = paths[canary.of % Math.max(1, paths.length)];
        return main === undefined ? [] : [buildCanary(canary, main, `c${index}`)];
      });
      const ingresses = [...built, ...added];
      return [...ingresses, ...services.filter((manifest) => isReferred(manifest, ingresses))];
    });
}

/** Whether an Ingress of its namespace names the Service, or the one that the slice belongs to. */
function isReferred({ metadata }: Manifest, ingresses: readonly IngressManifest[]): boolean {
  const name = metadata.labels?.['kubernetes.io/service-name'] ?? metadata.name;
  return ingresses.some(({ metadata: { namespace }, spec: { rules = [], defaultBackend } }) => {
    const backends = rules.flatMap(({ http }) => http.paths.map((one) => one.backend));
    return namespace === metadata.namespace && [...backends, defaultBackend].some((one) => one?.service.name === name);
  });
}

type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;

function buildMain(main: Drawn<typeof mainIngress>, name: string): IngressManifest {
  const { namespace, created, className, rules, defaultBackend, tls, regex } = main;
  const patterned = rules.some(({ http }) => http.paths.some(({ path: text = '' }) => /[([$]/.test(text)));
  const annotations = regex && patterned ? { 'use-regex': 'true', ...main.annotations } : main.annotations;
  const hosts = rules.flatMap((one, index) => (one.host !== undefined && (tls >> index) % 2 === 1 ? [one.host] : []));
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace,
      annotations: prefixed(annotations),
      ...(created === undefined ? {} : { creationTimestamp: created }),
    },
    spec: {
      ...(className === undefined ? {} : { ingressClassName: className }),
      ...(defaultBackend === undefined ? {} : { defaultBackend }),
      ...(hosts.length === 0 ? {} : { tls: [{ hosts }] }),
      ...(rules.length === 0 ? {} : { rules }),
    },
  };
}

function buildCanary(
  canary: Drawn<typeof canaryIngress>,
  main: { readonly namespace: string; readonly host: string | undefined; readonly path: IngressPath },
  name: string,
): IngressManifest {
  const elsewhere = NAMESPACES.find((namespace) => namespace !== main.namespace) ?? '';
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: {
      name,
      namespace: canary.elsewhere ? elsewhere : main.namespace,
      annotations: prefixed(canary.rules),
      ...(canary.created === undefined ? {} : { creationTimestamp: canary.created }),
    },
    spec: {
      rules: [
        {
          ...(main.host === undefined ? {} : { host: main.host }),
          http: { paths: [{ ...main.path, backend: canary.backend }] },
        },
      ],
    },
  };
}

function prefixed(annotations: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(annotations).map(([key, value]) => [`nginx.ingress.kubernetes.io/${key}`, value]),
  );
}

/** The first `weight` times as often as the second. */
function often<T>(weight: number, first: fc.Arbitrary<T>, second: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight, arbitrary: first }, { weight: 1, arbitrary: second });
}
