import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Check } from 'typebox/value';
import type { Backend } from '../model/backend.ts';
import type { ClientCertificatePolicy } from '../model/client-certificate.ts';
import type { Filter } from '../model/filter.ts';
import type { Listener } from '../model/listener.ts';
import { emptyModel, type Model } from '../model/model.ts';
import { partKey } from '../model/part.ts';
import type { VirtualHost } from '../model/virtual-host.ts';
import { explain } from './explain.ts';
import { Explanation } from './explanation.ts';
import { explanationText } from './explanation-text.ts';

const origin = { object: { kind: 'Ingress', namespace: 'app', name: 'web' }, field: 'spec' };
const http: Listener = { name: 'http', scope: 'main', protocol: 'http', addresses: [], port: 80, origin };
const https: Listener = { ...http, name: 'https', protocol: 'https', port: 443 };
const secret = (name: string) => ({ kind: 'Secret', namespace: 'app', name });
const PEM = '-----BEGIN CERTIFICATE-----';

function backend(id: string, more: Partial<Backend> = {}): Backend {
  const endpoints = [{ address: '10.0.0.1', port: 8080, weight: 1, state: 'ready' as const }];
  return { id, protocol: 'http', balancing: { kind: 'round-robin' }, endpoints, origin, ...more };
}

interface Sketch {
  readonly clients?: ClientCertificatePolicy;
  readonly filters?: readonly Filter[];
  readonly backends?: readonly Backend[];
}

async function ask(url: string, { clients, filters = [], backends = [] }: Sketch): Promise<Explanation> {
  const host: VirtualHost = {
    scope: 'main',
    hostname: 'site.test',
    ...(clients === undefined ? {} : { tls: { certificates: [], clientCertificate: clients } }),
    routes: [
      {
        id: 'r',
        match: { path: { kind: 'prefix', value: '/' } },
        filters: [...filters],
        action: { kind: 'forward', backends: [{ backend: 'web', weight: 1 }] },
        origin,
      },
    ],
    origins: [origin],
  };
  const model: Model = {
    ...emptyModel(),
    listeners: new Map([http, https].map((part) => [partKey('listeners', part), part])),
    hosts: new Map([[partKey('hosts', host), host]]),
    backends: new Map([backend('web'), ...backends].map((part) => [part.id, part])),
  };
  const explanation = await explain(model, { url });
  assert.ok(Check(Explanation, explanation), 'is what its schema says');
  return explanation;
}

const head = (explanation: Explanation) => explanationText(explanation).split('\n\n')[0]?.split('\n').slice(1);
const wanted: ClientCertificatePolicy = {
  mode: 'require',
  authorities: PEM,
  authoritiesFrom: secret('clients'),
  depth: 2,
};

test('a host that requires client certificates says so first: whose, which subject, and what others get', async () => {
  const explanation = await ask('https://site.test/', {
    clients: { ...wanted, subjectPattern: '^CN=alice', revocations: PEM, errorUrl: 'https://help.test/' },
  });
  assert.deepEqual(head(explanation), [
    '  is forwarded to web as site.test/',
    '  only if its client shows a certificate accepted by the authorities of Secret/app/clients; else a redirect (302) to https://help.test/; and only if the subject of its certificate matches ^CN=alice; else 403',
    '  by listener https (https, port 443)',
  ]);
  assert.deepEqual(explanation.clientCertificates, {
    mode: 'require',
    authorities: secret('clients'),
    depth: 2,
    revocations: true,
    subjectPattern: '^CN=alice',
    errorUrl: 'https://help.test/',
    passToBackend: false,
  });
  const text = explanationText(explanation);
  assert.match(text, /\n\nClient certificates:\n {2}Every client must show a certificate .*\n.*must match \^CN=alice/);
  assert.doesNotMatch(text + JSON.stringify(explanation), /BEGIN CERTIFICATE/);
});

test('each mode of client certificates tells its own condition', async () => {
  const condition = async (mode: ClientCertificatePolicy['mode']) =>
    (await ask('https://site.test/', { clients: { ...wanted, mode } })).conditions[0];
  assert.match((await condition('require')) ?? '', /shows a certificate accepted by .*; else 400$/);
  assert.match((await condition('optional')) ?? '', /shows no certificate, or one accepted by .*; else 400$/);
  assert.match((await condition('optional-no-ca')) ?? '', /no other fault than an unknown authority; else 400$/);
  assert.equal(await condition('insecure-fallback'), undefined);
});

test('plain HTTP to a host that requires client certificates is redirected if the route says so, else refused', async () => {
  const refused = await ask('http://site.test/', { clients: wanted });
  assert.ok(refused.outcome.kind === 'respond' && refused.outcome.status === 403);
  const filters: Filter[] = [{ type: 'https-redirect', status: 308 }];
  assert.deepEqual((await ask('http://site.test/a', { clients: wanted, filters })).outcome, {
    kind: 'redirect',
    status: 308,
    location: 'https://site.test/a',
  });
  const optional = await ask('http://site.test/', { clients: { ...wanted, mode: 'optional' } });
  assert.equal(optional.outcome.kind, 'forward');
});

const auth = (more: object = {}): Filter => ({
  type: 'external-auth',
  auth: { backend: 'auth', path: '/check', protocol: 'http', ...more },
});

test('an auth service is named as what is asked first, with what becomes of the request otherwise', async () => {
  const explanation = await ask('http://site.test/', { filters: [auth()], backends: [backend('auth')] });
  assert.deepEqual(head(explanation)?.slice(0, 2), [
    '  is forwarded to web as site.test/',
    '  only if the auth service auth, which is asked first, answers 2xx; its 401 and 403 are passed on, everything else is 503',
  ]);
  assert.match(explanation.filters[0] ?? '', /^The auth service auth is asked first \(GET \/check\): 2xx .* is 503\.$/);
  const signIn = { url: 'https://login.test/', redirectParameter: 'rd' };
  const sent = await ask('http://site.test/', { filters: [auth({ signIn })], backends: [backend('auth')] });
  assert.match(sent.conditions[0] ?? '', /on its 401 the client is sent to https:\/\/login\.test\//);
});

test('where the auth service has no endpoint every request is answered with 503', async () => {
  for (const backends of [[backend('auth', { endpoints: [] })], []]) {
    const explanation = await ask('http://site.test/', { filters: [auth()], backends });
    assert.deepEqual(head(explanation)?.slice(0, 2), [
      '  is answered with 503: the auth service auth has no endpoint.',
      '  by listener http (http, port 80)',
    ]);
  }
  const redirect: Filter = { type: 'redirect', status: 302, url: 'https://else.test/' };
  assert.equal((await ask('http://site.test/', { filters: [redirect, auth()] })).outcome.kind, 'redirect');
});

test('copies are told with where they go, and that they are lost where nobody takes them', async () => {
  const mirror: Filter = { type: 'mirror', backend: 'copies', path: '/seen', withBody: false };
  const sentence = async (backends: readonly Backend[]) =>
    (await ask('http://site.test/', { filters: [mirror], backends })).filters[0] ?? '';
  assert.match(await sentence([backend('copies')]), /^A copy goes to copies as \/seen \(without body\) .* dropped\.$/);
  assert.match(await sentence([backend('copies', { endpoints: [] })]), /It has no endpoint: copies are lost\.$/);
});

test('TLS towards a backend is told: verified by whose authorities, under which name, with which certificate', async () => {
  const line = async (tls: Backend['tls']) => {
    const web = backend('web', { protocol: 'https', ...(tls === undefined ? {} : { tls }) });
    const explanation = await ask('http://site.test/', { backends: [web] });
    assert.doesNotMatch(JSON.stringify(explanation), /BEGIN CERTIFICATE/);
    return /^ *TLS: .*$/m.exec(explanationText(explanation))?.[0].trim();
  };
  const verified = { verify: true, authorities: PEM, authoritiesFrom: secret('ca'), sendServerName: true };
  assert.equal(
    await line({ ...verified, serverName: 'in.test', clientCertificate: 'app/weir' }),
    'TLS: verified as in.test by the authorities of Secret/app/ca; the name in.test is sent; with the client certificate app/weir',
  );
  assert.match((await line({ verify: true, authorities: 'system', sendServerName: false })) ?? '', /of this machine/);
  assert.equal(await line(undefined), 'TLS: not verified: any certificate is taken; no client certificate');
});
