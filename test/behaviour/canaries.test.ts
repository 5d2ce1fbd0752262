import assert from 'node:assert/strict';
import { Agent } from 'node:http';
import { before, test } from 'node:test';
import { type Backend, type Echo, startBackend } from '../support/backends/echo-backend.ts';
import { Site } from '../support/site.ts';
import { suiteScope } from '../support/suite-scope.ts';

const scope = suiteScope();
let site: Site;
let stable: Backend;
let canary: Backend;
let agent: Agent;

before(async () => {
  [site, stable, canary] = await Promise.all([
    Site.open(scope),
    startBackend(scope, { name: 'stable' }),
    startBackend(scope, { name: 'canary' }),
  ]);
  agent = new Agent({ keepAlive: true, maxSockets: 4 });
  scope.after(() => agent.destroy());
});

/** A main Ingress and its canary, both new. */
async function release(host: string, rules: Readonly<Record<string, string>>): Promise<void> {
  const name = host.split('.')[0];
  await site.expose({ host, backends: [stable] });
  await site.expose({ host, name: `${name}-canary`, backends: [canary], annotations: { canary: 'true', ...rules } });
}

async function goesTo(host: string, headers: Readonly<Record<string, string>> = {}): Promise<string> {
  return (await site.http(host, '/', { headers, agent })).json<Echo>().backend;
}

/** How many of `count` requests the canary got. */
async function share(host: string, count: number, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const answers = await Promise.all(Array.from({ length: count }, () => goesTo(host, headers)));
  return answers.filter((backend) => backend === 'canary').length;
}

/**
 * What a share of `count` requests may be without weir being wrong: six standard deviations of the binomial
 * distribution, which a right canary misses with a probability of about 2·10⁻⁹.
 */
function bounds(count: number, probability: number): { readonly least: number; readonly most: number } {
  const deviation = 6 * Math.sqrt(count * probability * (1 - probability));
  return { least: count * probability - deviation, most: count * probability + deviation };
}

async function assertShare(host: string, count: number, probability: number): Promise<void> {
  const got = await share(host, count);
  const { least, most } = bounds(count, probability);
  assert.ok(got >= least && got <= most, `${got} of ${count}, outside ${least}…${most}`);
}

test('canary-weight sends its share of the requests to the canary, and a changed weight holds at once', async () => {
  const host = 'weight.test';
  await release(host, { 'canary-weight': '30' });
  await assertShare(host, 600, 0.3);
  await release(host, { 'canary-weight': '70' });
  await assertShare(host, 600, 0.7);
});

test('canary-weight 0 sends nothing to the canary, canary-weight 100 everything', async () => {
  const host = 'edges.test';
  await release(host, { 'canary-weight': '0' });
  assert.equal(await share(host, 100), 0);
  await release(host, { 'canary-weight': '100' });
  assert.equal(await share(host, 100), 100);
});

test('canary-weight-total is what the weight is a part of', async () => {
  const host = 'total.test';
  await release(host, { 'canary-weight': '200', 'canary-weight-total': '400' });
  await assertShare(host, 600, 0.5);
});

test('canary-by-header: always goes to the canary, never doesn’t, anything else is left to the weight', async () => {
  const host = 'header.test';
  await release(host, { 'canary-by-header': 'X-Canary', 'canary-weight': '0' });
  assert.equal(await goesTo(host, { 'X-Canary': 'always' }), 'canary');
  assert.equal(await goesTo(host, { 'X-Canary': 'never' }), 'stable');
  assert.equal(await goesTo(host, { 'X-Canary': 'perhaps' }), 'stable');
  assert.equal(await goesTo(host), 'stable');
  await release(host, { 'canary-by-header': 'X-Canary', 'canary-weight': '100' });
  assert.equal(await goesTo(host, { 'X-Canary': 'never' }), 'stable');
  assert.equal(await goesTo(host, { 'X-Canary': 'perhaps' }), 'canary');
});

test('canary-by-header-value: exactly this value goes to the canary, and always means nothing any more', async () => {
  const host = 'value.test';
  await release(host, { 'canary-by-header': 'X-Region', 'canary-by-header-value': 'eu-west' });
  assert.equal(await goesTo(host, { 'X-Region': 'eu-west' }), 'canary');
  for (const value of ['eu-west-1', 'EU-WEST', 'always'])
    assert.equal(await goesTo(host, { 'X-Region': value }), 'stable');
  const rules = { 'canary-by-header': 'X-Region', 'canary-by-header-value': 'eu-west', 'canary-weight': '100' };
  await release(host, rules);
  assert.equal(await goesTo(host, { 'X-Region': 'us-east' }), 'canary', 'another value leaves it to the weight');
});

test('canary-by-header-pattern: values that match go to the canary', async () => {
  const host = 'pattern.test';
  await release(host, { 'canary-by-header': 'X-Region', 'canary-by-header-pattern': '^eu-(west|north)$' });
  assert.equal(await goesTo(host, { 'X-Region': 'eu-west' }), 'canary');
  assert.equal(await goesTo(host, { 'X-Region': 'eu-north' }), 'canary');
  for (const value of ['eu-south', 'xeu-west', 'always'])
    assert.equal(await goesTo(host, { 'X-Region': value }), 'stable');
});

test('canary-by-cookie: always goes to the canary, never doesn’t, anything else is left to the weight', async () => {
  const host = 'cookie.test';
  await release(host, { 'canary-by-cookie': 'beta', 'canary-weight': '0' });
  assert.equal(await goesTo(host, { Cookie: 'a=b; beta=always; c=d' }), 'canary');
  assert.equal(await goesTo(host, { Cookie: 'beta=never' }), 'stable');
  assert.equal(await goesTo(host, { Cookie: 'beta=maybe' }), 'stable');
  assert.equal(await goesTo(host, { Cookie: 'alphabeta=always' }), 'stable');
});

test('the header decides before the cookie, and the cookie before the weight', async () => {
  const host = 'order.test';
  const rules = { 'canary-by-header': 'X-Canary', 'canary-by-cookie': 'beta' };
  await release(host, { ...rules, 'canary-weight': '100' });
  assert.equal(await goesTo(host, { 'X-Canary': 'never', Cookie: 'beta=always' }), 'stable');
  assert.equal(await goesTo(host, { Cookie: 'beta=never' }), 'stable');
  assert.equal(await goesTo(host), 'canary');
  await release(host, { ...rules, 'canary-weight': '0' });
  assert.equal(await goesTo(host, { 'X-Canary': 'always', Cookie: 'beta=never' }), 'canary');
  assert.equal(await goesTo(host, { 'X-Canary': 'other', Cookie: 'beta=always' }), 'canary');
  assert.equal(await goesTo(host), 'stable');
});

test('while the canary has no endpoint its share goes to the main backend', async () => {
  const host = 'empty.test';
  await site.expose({ host, backends: [stable] });
  await site.expose({
    host,
    name: 'empty-canary',
    backends: [],
    annotations: { canary: 'true', 'canary-weight': '100' },
  });
  assert.equal(await share(host, 20), 0);
});

test('a canary is gone when its Ingress is', async () => {
  const host = 'removed.test';
  await release(host, { 'canary-weight': '100' });
  assert.equal(await goesTo(host), 'canary');
  site.folder.remove('removed-canary.yaml');
  await site.settled();
  assert.equal(await share(host, 20), 0);
});
