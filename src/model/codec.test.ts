import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Redacted } from '../lib/redacted.ts';
import { decodeModel, decodePart, DecodeError, encodeModel, encodePart } from './codec.ts';
import { emptyModel, type Model } from './model.ts';
import type { VirtualHost } from './virtual-host.ts';

const origin = { object: { kind: 'Ingress', namespace: 'shop', name: 'web' }, field: 'spec' };

function host(overrides: Record<string, unknown> = {}): VirtualHost {
  return {
    scope: 'main',
    hostname: 'shop.example',
    routes: [
      {
        id: 'r',
        match: { path: { kind: 'prefix', value: '/' } },
        filters: [{ type: 'basic-auth', realm: 'x', scheme: 'basic', users: new Redacted('ada:hash') }],
        action: { kind: 'respond', status: 404, reason: 'nothing here' },
        origin,
        ...overrides,
      },
    ],
    origins: [origin],
  } as VirtualHost;
}

test('a secret is printed as [redacted] unless it is to be revealed', () => {
  const redacted = JSON.stringify(encodePart('hosts', host(), { secrets: 'redact' }));
  assert.match(redacted, /"users":"\[redacted\]"/);
  assert.doesNotMatch(redacted, /hash/);
  const revealed = encodePart('hosts', host(), { secrets: 'reveal' });
  assert.match(JSON.stringify(revealed), /\{"\$secret":"ada:hash"\}/);
});

test('a revealed part is read back with its secret, a redacted one is refused', () => {
  const again = decodePart('hosts', encodePart('hosts', host(), { secrets: 'reveal' }));
  const filter = again.routes[0]?.filters[0];
  assert.ok(filter?.type === 'basic-auth' && filter.users.reveal() === 'ada:hash');
  assert.throws(
    () => decodePart('hosts', encodePart('hosts', host(), { secrets: 'redact' })),
    (error) =>
      error instanceof DecodeError && error.path === 'routes[0].filters[0].users' && error.code === 'model-unreadable',
  );
});

test('an unreadable model is refused with the field and what may stand there', () => {
  const refused = (overrides: Record<string, unknown>, text: RegExp) =>
    assert.throws(() => decodeModel({ hosts: [encodePart('hosts', host(overrides), { secrets: 'reveal' })] }), text);
  refused(
    { filters: [{ type: 'redirct', status: 301 }] },
    /hosts\[0\]\.routes\[0\]\.filters\[0\]\.type: must be "https-redirect", "redirect", /,
  );
  refused({ filters: [{ type: 'redirect', status: 200 }] }, /filters\[0\]\.status: must be >= 300/);
  refused(
    { filters: [{ type: 'redirect', status: 301, hostnme: 'a' }] },
    /filters\[0\]\.hostnme: is not a field of the model/,
  );
  refused({ filters: [{ type: 'redirect', status: 301, scheme: 'ftp' }] }, /scheme: must be "http" or "https"/);
  refused({ match: { path: { kind: 'prefix' } } }, /match\.path\.value: is missing/);
  refused({ match: { path: { kind: 'glob', value: '/' } } }, /match\.path\.kind: must be "exact", /);
});

test('a model names its tables and each part once', () => {
  assert.throws(() => decodeModel({ hots: [] }), /hots: is not a table of the model; they are certificates, /);
  assert.throws(() => decodeModel({ hosts: {} }), /hosts: must be a list/);
  assert.throws(() => decodeModel([]), DecodeError);
  const part = encodePart('hosts', host(), { secrets: 'reveal' });
  assert.throws(
    () => decodeModel({ hosts: [part, part] }),
    /hosts\[1\]: there is another one with the key "main\/shop\.example"/,
  );
});

test('equal models print equal text, however they were put together', () => {
  const names = ['b.example', '**.example', 'a.example', '*', '*.example'];
  const model = (order: readonly string[]): Model => ({
    ...emptyModel(),
    hosts: new Map(order.map((hostname) => [`main/${hostname}`, { ...host(), hostname }])),
  });
  const text = JSON.stringify(encodeModel(model(names)));
  assert.equal(JSON.stringify(encodeModel(model(names.toReversed()))), text);
  assert.deepEqual(
    [...text.matchAll(/"hostname":"([^"]*)"/g)].map((match) => match[1]),
    ['a.example', 'b.example', '*.example', '**.example', '*'],
  );
});

test('an undefined field is left out, a value that no model holds is an error', () => {
  assert.doesNotMatch(
    JSON.stringify(encodePart('hosts', host({ name: undefined }), { secrets: 'redact' })),
    /"name":null/,
  );
  assert.throws(() => encodePart('hosts', host({ bodyLimit: Number.NaN }), { secrets: 'redact' }), TypeError);
});
