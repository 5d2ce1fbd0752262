import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { CATALOGUE } from '../../../diagnostics/catalogue.ts';
import { defaultSettings } from '../settings.ts';
import { annotationField } from '../../../snapshot/field-path.ts';
import { KNOWN_KEYS } from './known-keys.ts';
import { parseAnnotations } from './parse.ts';
import { hasControlCharacter } from './values/text.ts';
import { NGINX, ORIGIN, WEIR, parsed } from './parsed-for-test.ts';

test('an Ingress without annotations has the default settings', () => {
  assert.deepEqual(parseAnnotations({}, ORIGIN), { settings: defaultSettings(), findings: [] });
});

test('annotations under other prefixes are none of our business', () => {
  const { settings, findings } = parseAnnotations(
    {
      'kubernetes.io/ingress.class': 'nginx',
      'cert-manager.io/cluster-issuer': 'x',
      'ingress.kubernetes.io/auth-url': 'x',
      'nginx.ingress.kubernetes.io': 'x',
      'auth-url': 'x',
      'nginx.org/rewrites': 'x',
    },
    ORIGIN,
  );
  assert.deepEqual([settings, findings], [defaultSettings(), []]);
});

test('two Ingresses don’t share their settings', () => {
  const one = parseAnnotations({}, ORIGIN).settings;
  one.filters.push({ type: 'https-redirect', status: 308 });
  assert.deepEqual(parseAnnotations({}, ORIGIN).settings.filters, []);
});

test('a finding names the object, the file and the field', () => {
  const { findings } = parseAnnotations(
    { [`${NGINX}canary-weight`]: 'x', [`${NGINX}canary`]: 'true' },
    { ...ORIGIN, file: 'shop.yaml', line: 7 },
  );
  assert.deepEqual(findings, [
    {
      code: 'WEIR0214',
      severity: 'error',
      object: { kind: 'Ingress', namespace: 'shop', name: 'web' },
      field: 'metadata.annotations["nginx.ingress.kubernetes.io/canary-weight"]',
      message: '"x" is not a whole number (the weight); nothing goes to the canary by it.',
      fix: 'Write a whole number of 0 or more, for example "10".',
      file: 'shop.yaml',
      line: 7,
    },
  ]);
});

test('weir’s prefix wins, and the other key is told so', () => {
  const { settings, findings } = parseAnnotations(
    { [`${WEIR}proxy-body-size`]: '1m', [`${NGINX}proxy-body-size`]: 'nonsense' },
    ORIGIN,
  );
  assert.equal(settings.bodyLimit, 1_048_576);
  assert.deepEqual(
    findings.map(({ code, field }) => [code, field]),
    [['WEIR0209', annotationField(`${NGINX}proxy-body-size`)]],
  );
});

test('weir’s prefix alone is enough', () => {
  assert.deepEqual(parsed({ 'ssl-redirect': 'false' }, WEIR).changed, { httpsRedirect: 'never' });
});

test('a restriction under one prefix is not switched off under the other', () => {
  const contradictions: [string, string, string][] = [
    ['auth-url', 'http://auth.example', ''],
    ['limit-rps', '5', '0'],
    ['enable-modsecurity', 'true', 'false'],
    ['auth-tls-verify-client', 'on', 'off'],
  ];
  for (const [name, on, off] of contradictions) {
    assert.equal(parseAnnotations({ [NGINX + name]: on, [WEIR + name]: off }, ORIGIN).settings.closed, NGINX + name);
    assert.equal(parseAnnotations({ [NGINX + name]: off, [WEIR + name]: on }, ORIGIN).settings.closed, WEIR + name);
  }
});

test('an unknown key is a warning that names the nearest key', () => {
  const { changed, said, findings } = parsed({ 'proxy-body-sise': '8m' });
  assert.deepEqual([changed, said], [{}, ['proxy-body-sise WEIR0200']]);
  assert.equal(findings[0]?.fix, 'Did you mean nginx.ingress.kubernetes.io/proxy-body-size?');
  assert.equal(parsed({ 'Rewrite-Target': '/' }, WEIR).findings[0]?.fix, 'Did you mean weir.dev/rewrite-target?');
  assert.doesNotMatch(parsed({ 'something-else-entirely': 'x' }).findings[0]?.fix ?? '', /Did you/);
});

test('an unknown key that may be meant to restrict access closes the routes', () => {
  const names = [
    'whitelist-source-rang',
    'whitelist-source-ranges',
    'allowlist-source-rnage',
    'auht-url',
    'auth-ulr',
    'Auth-URL',
    'auth-tls-secrets',
    'limit-rsp',
    'satisfi',
    'enable-modsecuritiy',
    'configuration-snipet',
    'location-snippet',
    'auth-oidc-issuer',
    'blocklist-source-range',
    'global-rate-limit',
    'proxy-ssl-verfy',
    'proxy-ssl-secrt',
    'proxy-ssl-naem',
    'proxy-ssl-verify-dept',
    'proxy-ssl-trusted-certificate',
    'prxy-ssl-verify',
    'auht-tls-verify-dpth',
    'auth-respnse-headers',
    'auth-metod',
    'ip-whitelist',
    'deny-list',
    'limits-rps',
  ];
  for (const name of names) {
    for (const prefix of [NGINX, WEIR]) {
      const { changed, findings } = parsed({ [name]: 'x' }, prefix);
      assert.deepEqual(changed, { closed: prefix + name }, name);
      assert.deepEqual([findings.length, findings[0]?.code, findings[0]?.severity], [1, 'WEIR0201', 'error'], name);
    }
  }
});

test('a misspelled key that restricts nothing closes nothing', () => {
  for (const name of ['ssl-redirct', 'rewrite-taget', 'canery', 'proxy-red-timeout', 'enable-cosr', 'author', '']) {
    assert.equal(parsed({ [name]: 'x' }).settings.closed, undefined, name);
  }
});

test('a misspelled key that only shapes what an access rule answers closes nothing, as the key itself would not', () => {
  const near: readonly (readonly [misspelt: string, meant: string])[] = [
    ['auth-signn', 'auth-signin'],
    ['auth-sign-in', 'auth-signin'],
    ['auth-request-redirct', 'auth-request-redirect'],
    ['auth-keepalve', 'auth-keepalive'],
    ['auth-chache-key', 'auth-cache-key'],
    ['auth-tls-eror-page', 'auth-tls-error-page'],
    ['auth-tls-pass-certificate-to-upstraem', 'auth-tls-pass-certificate-to-upstream'],
    ['proxy-ssl-server-nmae', 'proxy-ssl-server-name'],
    ['proxy-ssl-protocol', 'proxy-ssl-protocols'],
  ];
  for (const [name, meant] of near) {
    const { changed, said, findings } = parsed({ [name]: 'x' });
    assert.deepEqual([changed, said], [{}, [`${name} WEIR0200`]]);
    assert.equal(findings[0]?.fix, `Did you mean ${NGINX}${meant}?`);
  }
});

test('a name that is near to a key that guards closes, however near it is to one that does not', () => {
  for (const [key, { key: known, unsupported }] of KNOWN_KEYS) {
    const guards =
      unsupported?.restrictsAccess === true || known?.restricts !== undefined || known?.misspelt === 'closes';
    if (!guards) continue;
    for (let at = 0; at < key.length; at++) {
      const name = key.slice(0, at) + key.slice(at + 1);
      if (KNOWN_KEYS.has(name)) continue;
      assert.equal(parsed({ [name]: 'x' }).settings.closed, NGINX + name, name);
    }
  }
});

test('names of object members are unknown keys', () => {
  for (const name of ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype']) {
    const { changed, said } = parsed({ [name]: 'x' });
    assert.deepEqual([changed, said], [{}, [`${name} WEIR0200`]]);
  }
  const inherited = Object.create({ [`${NGINX}ssl-redirect`]: 'false' }) as Record<string, string>;
  assert.deepEqual(parseAnnotations(inherited, ORIGIN).settings, defaultSettings());
});

test('a value that is no string is an error, and closes where the key restricts access', () => {
  const values = [true, 8, null, ['a'], { a: 'b' }] as unknown as string[];
  for (const value of values) {
    const { changed, said } = parsed({ 'ssl-redirect': value });
    assert.deepEqual([changed, said], [{}, ['ssl-redirect WEIR0213']]);
    assert.equal(parsed({ 'auth-url': value }).settings.closed, `${NGINX}auth-url`);
  }
});

test('long and hostile values are quoted short and on one line', () => {
  const { findings } = parsed({ 'backend-protocol': `\n\0"$(x)${'é'.repeat(1_000_000)}` });
  assert.equal(findings.length, 1);
  assert.ok(findings[0]!.message.length < 400);
  assert.equal(hasControlCharacter(findings[0]!.message), false);
});

test('the first of several closing keys is named, whatever their order in the manifest', () => {
  const keys: [string, string][] = [
    [`${NGINX}limit-rps`, '1'],
    [`${NGINX}auth-type`, 'basic'],
    [`${WEIR}satisfy`, 'any'],
  ];
  for (const order of [keys, keys.toReversed()]) {
    const { settings, findings } = parseAnnotations(Object.fromEntries(order), ORIGIN);
    assert.equal(settings.closed, `${NGINX}auth-type`);
    assert.deepEqual(
      findings.map(({ field }) => field),
      findings.map(({ field }) => field).toSorted(),
    );
  }
});

test('no annotations make it throw, and every finding is about one of them and in the catalogue', () => {
  const codes = new Map(CATALOGUE.map((entry) => [entry.code, entry.severity]));
  const names = [...KNOWN_KEYS.keys()];
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    fc.constantFrom('__proto__', 'constructor', ''),
    fc.string({ unit: 'binary', maxLength: 70 }),
    fc
      .tuple(fc.constantFrom(...names), fc.nat(60), fc.string({ maxLength: 1 }))
      .map(([text, at, extra]) => text.slice(0, at) + extra + text.slice(at + 1)),
  );
  const key = fc.tuple(fc.constantFrom(NGINX, WEIR, 'other.io/'), name).map(([prefix, text]) => prefix + text);
  const value = fc.oneof(
    fc.constantFrom(
      'true',
      'false',
      '0',
      '1',
      '10',
      '8m',
      'cookie',
      'off',
      '/$1',
      '$request_uri',
      'GRPC',
      '(',
      '',
      ' ',
    ),
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({
      unit: fc.constantFrom('$', '{', '}', '\n', '\0', ';', '"', '/', 'a', '1', '(', '*', '\ud800'),
      maxLength: 60,
    }),
  );
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 6 }), (annotations) => {
      const before = JSON.stringify(annotations);
      const { settings, findings } = parseAnnotations(annotations, ORIGIN);
      assert.equal(JSON.stringify(annotations), before);
      const fields = new Set(Object.keys(annotations).map(annotationField));
      for (const finding of findings) {
        assert.ok(fields.has(finding.field), finding.field);
        assert.equal(codes.get(finding.code), finding.severity);
        assert.notEqual(finding.message, '');
        assert.notEqual(finding.fix, '');
      }
      if (settings.closed !== undefined) assert.ok(Object.hasOwn(annotations, settings.closed));
      assert.deepEqual(parseAnnotations(annotations, ORIGIN), { settings, findings });
    }),
    { numRuns: 1000 },
  );
});

test('no value lets text with control characters, quotes or foreign variables through to the settings', () => {
  const names = [...KNOWN_KEYS.keys()];
  const value = fc.string({
    unit: fc.constantFrom('$', '$host', '\n', '\r', '\0', ';', '"', "'", '{', '/', 'a', '$1', ' '),
    minLength: 1,
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.constantFrom(...names), value, (name, text) => {
      const companions = { canary: 'true', 'canary-by-header': 'X-A', affinity: 'cookie', 'rewrite-target': '/' };
      for (const others of [companions, { ...companions, canary: 'false' }, {}]) {
        const { closed: _closed, ...settings } = parsed({ ...others, [name]: text }).settings;
        const isPattern = name === 'canary-by-header-pattern';
        for (const written of strings(settings)) {
          // Where the annotation stands, which is made of its key.
          if (written === annotationField(NGINX + name)) continue;
          assert.doesNotMatch(
            written,
            isPattern ? /[\n\r\0;"']/ : /[\n\r\0;"'{]|\$(?![1-9])/,
            `${name}: ${JSON.stringify(text)}`,
          );
        }
      }
    }),
    { numRuns: 2000 },
  );
});

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(strings) : [];
}
