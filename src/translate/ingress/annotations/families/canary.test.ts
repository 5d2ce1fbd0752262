import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parsed } from '../parsed-for-test.ts';

const NOTHING = { weight: 0, weightTotal: 100, followsAffinity: true };

test('reads the rules of a canary', () => {
  assert.deepEqual(parsed({ canary: 'true' }).settings.canary, NOTHING);
  assert.deepEqual(parsed({ canary: 'true', 'canary-weight': '10' }).settings.canary, { ...NOTHING, weight: 10 });
  const header = { canary: 'true', 'canary-by-header': 'X-Canary' };
  assert.deepEqual(parsed(header).settings.canary, { ...NOTHING, header: 'X-Canary' });
  assert.deepEqual(parsed({ ...header, 'canary-by-header-value': 'eu west' }).settings.canary, {
    ...NOTHING,
    header: 'X-Canary',
    headerMatch: { kind: 'exact', value: 'eu west' },
  });
  assert.deepEqual(parsed({ ...header, 'canary-by-header-pattern': '^eu-(a|b).*$' }).settings.canary, {
    ...NOTHING,
    header: 'X-Canary',
    headerMatch: { kind: 'regex', value: '^eu-(a|b).*$' },
  });
  assert.deepEqual(parsed({ canary: 'true', 'canary-by-cookie': 'try_it' }).settings.canary, {
    ...NOTHING,
    cookie: 'try_it',
  });
});

test('an exact header value wins over a pattern', () => {
  const { canary } = parsed({
    canary: 'true',
    'canary-by-header': 'X-A',
    'canary-by-header-value': 'v',
    'canary-by-header-pattern': 'p',
  }).settings;
  assert.deepEqual(canary?.headerMatch, { kind: 'exact', value: 'v' });
});

test('weights are parts of the total, and totals below 100 count as 100', () => {
  const canary = (weight: string, total: string) =>
    parsed({ canary: 'true', 'canary-weight': weight, 'canary-weight-total': total }).settings.canary;
  assert.deepEqual(canary('500', '1000'), { ...NOTHING, weight: 500, weightTotal: 1000 });
  assert.deepEqual(canary('50', '50'), { ...NOTHING, weight: 50 });
  assert.deepEqual(canary('100', '100'), { ...NOTHING, weight: 100 });
});

test('no invalid weight sends requests to the canary', () => {
  for (const weight of [
    '101',
    '-1',
    '10%',
    '1e1',
    'all',
    '0x64',
    ' 10',
    '99999999999999999999',
    '\0',
    '1'.repeat(1_000_000),
  ]) {
    const { settings, said } = parsed({ canary: 'true', 'canary-weight': weight });
    assert.deepEqual([settings.canary, said], [NOTHING, ['canary-weight WEIR0214']], weight.slice(0, 20));
  }
  for (const total of ['0', '-100', '1OOO', '1.5']) {
    const { settings, said } = parsed({ canary: 'true', 'canary-weight': '500', 'canary-weight-total': total });
    assert.deepEqual([settings.canary, said], [NOTHING, ['canary-weight-total WEIR0214']], total);
  }
});

test('an invalid canary value makes a canary without requests, not a main Ingress', () => {
  const { settings, said } = parsed({ canary: 'yes', 'canary-weight': '50', 'canary-by-header': 'X-A' });
  assert.deepEqual([settings.canary, said], [NOTHING, ['canary WEIR0214']]);
});

test('a header rule with an unusable condition is left out altogether', () => {
  const conditions: [string, string[]][] = [
    ['canary-by-header-pattern', ['(', '[a', 'a{2,1}', '*', 'a\nb', 'a"b', '(?<', 'x'.repeat(10_000)]],
    ['canary-by-header-value', ['$http_x', 'a\r\nb', 'a;b', 'ä']],
    ['canary-by-header', ['X Canary', 'X-Canary:', '$x', 'x\0', 'ä']],
  ];
  for (const [name, texts] of conditions) {
    for (const text of texts) {
      const { settings, said } = parsed({
        canary: 'true',
        'canary-by-header': 'X-A',
        'canary-weight': '5',
        [name]: text,
      });
      assert.deepEqual([settings.canary, said], [{ ...NOTHING, weight: 5 }, [`${name} WEIR0214`]], text.slice(0, 20));
    }
  }
});

test('takes constructs that only PCRE has', () => {
  for (const pattern of ['(?i)eu', 'a++b', '\\Aeu']) {
    const { settings } = parsed({ canary: 'true', 'canary-by-header': 'X-A', 'canary-by-header-pattern': pattern });
    assert.deepEqual(settings.canary?.headerMatch, { kind: 'regex', value: pattern });
  }
});

test('canary keys without canary make no canary and are reported', () => {
  const { changed, said } = parsed({ 'canary-weight': '10', 'canary-by-header-value': 'x' });
  assert.deepEqual([changed, said], [{}, ['canary-by-header-value WEIR0208', 'canary-weight WEIR0208']]);
  assert.deepEqual(parsed({ canary: 'false', 'canary-weight': '10' }).changed, {});
});

test('a canary keeps its balancing and affinity, and takes all else from the main Ingress', () => {
  const { settings, changed, said } = parsed({
    canary: 'true',
    'canary-weight': '10',
    'load-balance': 'ewma',
    affinity: 'cookie',
    'affinity-canary-behavior': 'legacy',
    'rewrite-target': '/$nonsense',
    'proxy-body-size': '8m',
  });
  assert.deepEqual(Object.keys(changed).sort(), ['affinity', 'balancing', 'canary']);
  assert.equal(settings.canary?.followsAffinity, false);
  assert.deepEqual(said, ['proxy-body-size WEIR0215', 'rewrite-target WEIR0215']);
});

test('a canary that restricts access in a way that is not supported stays closed', () => {
  const { settings } = parsed({ canary: 'true', 'canary-weight': '10', 'whitelist-source-range': '10.0.0.0/8' });
  assert.equal(settings.closed, 'nginx.ingress.kubernetes.io/whitelist-source-range');
});
