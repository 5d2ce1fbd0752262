import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Authority, makeAuthority } from '../certificates.ts';
import type { Cluster } from '../cluster.ts';
import { prefixed } from '../site.ts';
import { tlsSecret } from '../manifests.ts';
import { eventually, type Scope } from '../scope.ts';
import type { Entry } from './entry.ts';
import { route, shop } from './shop.ts';

interface Answer {
  readonly backend: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

interface Behaviour {
  readonly title: string;
  readonly objects: (host: string) => readonly object[];
  /** Tried until it doesn't throw, for half a minute. */
  readonly check: (entry: Entry, host: string) => Promise<void>;
}

/** Registers one test for each behaviour; all run against real pods of a namespace that is made by `prepare`. */
export function ingressBehaviours(entry: () => Entry, place: () => { cluster: Cluster; namespace: string }): void {
  for (const [index, { title, objects, check }] of behaviours(() => place().namespace).entries()) {
    test(title, async () => {
      const { cluster, namespace } = place();
      const host = `b${index}.${namespace}.test`;
      const className = entry().className;
      const classed = objects(host).map((object) => withClass(object, className));
      await cluster.apply(classed, namespace);
      let wrong: unknown;
      const holds = async () => {
        try {
          await check(entry(), host);
          return true;
        } catch (error) {
          wrong = error;
          return false;
        }
      };
      await eventually(title, holds, { withinMs: 30_000, everyMs: 200 }).catch(() => {
        throw wrong;
      });
    });
  }
}

/** The pods and Secrets that the behaviours need. */
export async function prepareBehaviours(cluster: Cluster, scope: Scope, prefix: string): Promise<string> {
  const namespace = await cluster.namespace(scope, prefix);
  const authority: Authority = await makeAuthority();
  const pair = await authority.issue([`*.${namespace}.test`]);
  const { metadata: _, ...secret } = tlsSecret({ name: 'pair', ...pair });
  await cluster.apply(
    [
      ...shop({ name: 'stable', replicas: 2 }),
      ...shop({ name: 'canary', env: { NAME: 'canary' } }),
      { ...secret, metadata: { name: 'pair' } },
    ],
    namespace,
  );
  await Promise.all(['stable', 'canary'].map((name) => cluster.rolledOut(`deployment/${name}`, namespace)));
  return namespace;
}

const to = (service: string, path = '/', pathType = 'Prefix') => ({ path, pathType, service });

function site(host: string, annotations: Readonly<Record<string, string>> = {}, more: object = {}): object {
  const name = host.split('.')[0] ?? host;
  return route({ name, host, paths: [to('stable')], annotations: prefixed(annotations), ...more });
}

function withClass(object: object, className: string): object {
  const { kind, spec } = object as { kind: string; spec?: { ingressClassName?: string } };
  if (kind !== 'Ingress') return object;
  return { ...object, spec: { ...spec, ingressClassName: spec?.ingressClassName ?? className } };
}

async function backendOf(entry: Entry, host: string, path = '/', headers: Readonly<Record<string, string>> = {}) {
  const answer = await entry.http(host, path, { headers });
  assert.equal(answer.status, 200, answer.body);
  return answer.json<Answer>();
}

function behaviours(namespace: () => string): readonly Behaviour[] {
  return [
    {
      title: 'an exact path wins over a prefix, the longer prefix over the shorter, and what is unknown is 404',
      objects: (host) => [
        route({
          name: host.split('.')[0]!,
          host,
          paths: [to('stable', '/a'), to('canary', '/a/b'), to('canary', '/a', 'Exact')],
        }),
      ],
      async check(entry, host) {
        assert.match((await backendOf(entry, host, '/a/c')).backend, /^stable/);
        assert.equal((await backendOf(entry, host, '/a/b/c')).backend, 'canary');
        assert.equal((await backendOf(entry, host, '/a')).backend, 'canary');
        assert.equal((await entry.http(host, '/ab')).status, 404);
        assert.equal((await entry.http(`other-${host}`)).status, 404);
      },
    },
    {
      title: 'a wildcard host takes one label, and no host of another Ingress',
      objects: (host) => [
        route({ name: 'wildcard', host: `*.${host}`, paths: [to('canary')] }),
        route({ name: 'one', host: `one.${host}`, paths: [to('stable')] }),
      ],
      async check(entry, host) {
        assert.equal((await backendOf(entry, `any.${host}`)).backend, 'canary');
        assert.match((await backendOf(entry, `one.${host}`)).backend, /^stable/);
        assert.equal((await entry.http(`a.b.${host}`)).status, 404);
      },
    },
    {
      title: 'a host with a certificate shows it, speaks HTTP/2, and sends plain HTTP there',
      objects: (host) => [site(host, {}, { tls: [{ hosts: [host], secretName: 'pair' }] })],
      async check(entry, host) {
        const { certificate } = await entry.handshake(host);
        assert.equal(certificate.subjectAltName, `DNS:*.${namespace()}.test`);
        const plain = await entry.http(host, '/x?y=1');
        const port = entry.target.httpsPort === 443 ? '' : `:${entry.target.httpsPort}`;
        assert.deepEqual([plain.status, plain.headers.location], [308, `https://${host}${port}/x?y=1`]);
        const client = await entry.http2(host);
        const answer = await client.request({ host });
        client.close();
        assert.match(answer.json<Answer>().backend, /^stable/);
      },
    },
    {
      title: 'rewrite-target gives the backend what the expression captured',
      objects: (host) => [
        site(
          host,
          { 'rewrite-target': '/$2', 'use-regex': 'true' },
          { paths: [to('stable', '/shop(/|$)(.*)', 'ImplementationSpecific')] },
        ),
      ],
      check: async (entry, host) => assert.equal((await backendOf(entry, host, '/shop/cart?a=1')).url, '/cart?a=1'),
    },
    {
      title: 'a canary gets those who ask for it, and its share of the others',
      objects: (host) => [
        site(host),
        site(
          host,
          { canary: 'true', 'canary-by-header': 'X-Canary', 'canary-weight': '50' },
          { name: 'release', paths: [to('canary')] },
        ),
      ],
      async check(entry, host) {
        assert.equal((await backendOf(entry, host, '/', { 'X-Canary': 'always' })).backend, 'canary');
        assert.match((await backendOf(entry, host, '/', { 'X-Canary': 'never' })).backend, /^stable/);
        let canary = 0;
        for (let sent = 0; sent < 100; sent += 1) if ((await backendOf(entry, host)).backend === 'canary') canary += 1;
        // Six standard deviations of the binomial distribution.
        assert.ok(canary >= 20 && canary <= 80, `${canary} of 100`);
      },
    },
    {
      title: 'a session cookie keeps a client at its pod',
      objects: (host) => [site(host, { affinity: 'cookie', 'session-cookie-name': 'at' })],
      async check(entry, host) {
        const first = await entry.http(host);
        const cookie = first.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
        assert.match(cookie, /^at=/);
        for (let sent = 0; sent < 10; sent += 1) {
          const again = await backendOf(entry, host, '/', { Cookie: cookie });
          assert.equal(again.backend, first.json<Answer>().backend);
        }
      },
    },
    {
      title: 'what would restrict access and is not offered yet closes its routes',
      objects: (host) => [
        site(host, { 'auth-type': 'basic', 'auth-secret': 'users' }),
        site(`from.${host}`, { 'whitelist-source-range': '192.0.2.0/24' }, { name: 'from' }),
      ],
      async check(entry, host) {
        assert.deepEqual([(await entry.http(host)).status, (await entry.http(`from.${host}`)).status], [503, 503]);
      },
    },
    {
      title: 'an external auth service, itself pods behind a Service, decides who gets in',
      objects: (host) => {
        const url = (status: number) => `http://canary.${namespace()}.svc.cluster.local/?echo-status=${status}`;
        return [
          site(host, { 'auth-url': url(200) }),
          site(`closed.${host}`, { 'auth-url': url(401) }, { name: 'closed' }),
        ];
      },
      async check(entry, host) {
        assert.match((await backendOf(entry, host)).backend, /^stable/);
        assert.equal((await entry.http(`closed.${host}`)).status, 401);
      },
    },
    {
      title: 'a WebSocket goes through, and the pod gets what the client is',
      objects: (host) => [site(host)],
      async check(entry, host) {
        const socket = await entry.webSocket(host);
        socket.close();
        const { headers } = await backendOf(entry, host);
        assert.deepEqual([headers['x-forwarded-host'], headers['x-forwarded-proto']], [host, 'http']);
        assert.match(headers['x-forwarded-for'] ?? '', /^[\d.]+$/);
      },
    },
    {
      title: 'a body that is too large is turned away',
      objects: (host) => [site(`small.${host}`, { 'proxy-body-size': '1k' }, { name: 'small' })],
      async check(entry, host) {
        const post = (size: number) =>
          entry.http(`small.${host}`, '/', { method: 'POST', body: 'x'.repeat(size) }).then(({ status }) => status);
        assert.deepEqual([await post(1000), await post(2000)], [200, 413]);
      },
    },
    {
      title: 'permanent-redirect answers by itself',
      objects: (host) => [site(host, { 'permanent-redirect': 'https://elsewhere.test/' })],
      async check(entry, host) {
        const { status, headers } = await entry.http(host);
        assert.deepEqual([status, headers.location], [301, 'https://elsewhere.test/']);
      },
    },
    {
      title: 'a Service is named by the name of its port, and one that does not exist answers 503',
      objects: (host) => [
        site(
          host,
          {},
          {
            paths: [{ ...to('stable', '/named'), port: 'web' }, { ...to('nobody', '/nobody') }],
          },
        ),
      ],
      async check(entry, host) {
        assert.match((await backendOf(entry, host, '/named')).backend, /^stable/);
        assert.equal((await entry.http(host, '/nobody')).status, 503);
      },
    },
    {
      title: 'an Ingress of another class is left alone',
      objects: (host) => [site(host, {}, { className: 'somebody-elses' }), site(`ours.${host}`, {}, { name: 'ours' })],
      async check(entry, host) {
        assert.equal((await entry.http(`ours.${host}`)).status, 200);
        assert.equal((await entry.http(host)).status, 404);
      },
    },
    // The last: such a backend takes hosts that no Ingress has, too.
    {
      title: 'the default backend of an Ingress takes what none of its paths does',
      objects: (host) => [
        route({
          name: 'fallback',
          host,
          paths: [to('stable', '/only', 'Exact')],
          defaultBackend: { service: 'canary' },
        }),
      ],
      async check(entry, host) {
        assert.match((await backendOf(entry, host, '/only')).backend, /^stable/);
        assert.equal((await backendOf(entry, host, '/else')).backend, 'canary');
      },
    },
  ];
}
