import assert from 'node:assert/strict';
import { before, describe, it, type TestContext } from 'node:test';
import { suiteScope } from '../support/suite-scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { checkedDiagnoses, diagnosed, expectedDiagnoses, liveDiagnoses } from './diagnosis.ts';
import { FAULTS, placeFault } from './faults.ts';
import { reloadsOf, settled } from './in-force.ts';
import { assertMeanwhile } from './spoiled-site.ts';
import { COUNT, makeThousandSites, type ThousandSites } from './thousand-sites.ts';
import type { Front } from './visitor.ts';
import { keepVisiting, visitAll } from './visits.ts';

describe('one bad object among a thousand: the other 999 are served, it is named, and mending it heals', () => {
  const scope = suiteScope();
  let thousand: ThousandSites;
  let weir: Weir;
  let front: Front;

  before(async () => {
    thousand = await makeThousandSites(scope);
    const begin = performance.now();
    weir = await startWeir(scope, { manifests: thousand.folder });
    await settled(weir);
    front = { httpPort: weir.httpPort, httpsPort: weir.httpsPort, ca: thousand.ca };
    console.log(`${COUNT} Ingresses in force ${Math.round(performance.now() - begin)} ms after the command`);
  });

  it('finds nothing wrong with a thousand good ones, and serves every one by its own endpoint', async () => {
    assert.deepEqual(await liveDiagnoses(weir), []);
    assert.deepEqual(await checkedDiagnoses(thousand.folder.path), { code: 0, found: [] });
    const { asked, failures } = await visitAll(front, thousand.sites);
    assert.deepEqual([asked, failures], [COUNT, []]);
  });

  /** The other 999 are served, the object as it should be; check and diagnostics name the fault; and mending it heals. */
  const contained = (title: string) => async (t: TestContext) => {
    const number = FAULTS.findIndex((each) => each.title === title);
    const { sites, folder, manifest } = thousand;
    const place = placeFault(sites, number);
    const { fault, site, victim } = place;
    const others = sites.filter((other) => other !== site);
    const reloads = await reloadsOf(weir);
    const good = manifest(site);
    const bad = fault.spoil(good, site, victim);
    assert.notEqual(bad, good);
    t.after(async () => {
      folder.write(site.file, good);
      await settled(weir);
    });

    const visiting = keepVisiting(front, others);
    t.after(() => visiting.stop());
    const begin = performance.now();
    folder.write(site.file, bad);
    await settled(weir);
    const inForce = Math.round(performance.now() - begin);

    const visits = await visitAll(front, others);
    const live = await liveDiagnoses(weir);
    const checked = await checkedDiagnoses(folder.path);
    await assertMeanwhile(front, site, fault.live, fault.path);

    const mending = performance.now();
    folder.write(site.file, good);
    await settled(weir);
    const mended = Math.round(performance.now() - mending);
    await assertMeanwhile(front, site, 200);
    const meanwhile = await visiting.stop();

    const figures = [
      `${visits.asked - visits.failures.length} of ${visits.asked} others served in ${visits.milliseconds} ms`,
      `${meanwhile.asked} requests meanwhile, ${meanwhile.failures.length} failed`,
      `itself: ${fault.live}`,
      ...live.map(({ code, line, column }) => `${code} at ${line}:${column}`),
      `in force after ${inForce} ms, mended after ${mended} ms`,
    ];
    t.diagnostic(`${fault.title}: ${figures.join('; ')}`);

    assert.deepEqual([visits.asked, visits.failures], [COUNT - 1, []]);
    assert.deepEqual(meanwhile.failures, []);
    assert.ok(meanwhile.asked > 0);
    assert.deepEqual(diagnosed(live), expectedDiagnoses(place, bad, folder.path));
    for (const { fix } of live) assert.match(fix, /\w+ \w+/);
    assert.deepEqual(checked, { code: fault.exit ?? 1, found: live });
    assert.deepEqual(await liveDiagnoses(weir), []);
    assert.equal(await reloadsOf(weir), reloads);
  };

  it('an unclosed bracket leaves the object as it was', contained('unclosed YAML: a bracket'));
  it('an unclosed quote leaves the object as it was', contained('unclosed YAML: a quote'));
  it('an unbalanced regular expression costs its own path', contained('bad regex: an unbalanced pattern'));
  it(
    'a regular expression that only PCRE refuses closes its own path with 503',
    contained('bad regex: one that only PCRE itself refuses'),
  );
  it('a quote and a newline in a path cost that path', contained('quote and newline in a path'));
  it('an impossible host costs its own rule', contained('impossible host'));
  it('a missing Service closes its own route with 503', contained('missing Service'));
  it('a missing port closes its own route with 503', contained('missing port'));
  it('a missing Secret costs its own host the certificate', contained('missing Secret'));
  it(
    'a key that does not fit its certificate costs its own host the certificate',
    contained('key that does not fit its certificate'),
  );
  it(
    'a path that another Ingress has costs the later one its own',
    contained('duplicate path: two Ingresses with one host and path'),
  );
  it(
    'an Ingress that stands in another file already changes nothing',
    contained('duplicate path: an Ingress that stands in another file already'),
  );
  it('an unknown path type costs its own path', contained('unknown pathType'));
  it(
    'a rewrite-target that tries to close a block closes its own routes with 503',
    contained('hostile annotation: rewrite-target that closes a block'),
  );
  it(
    'a proxy-body-size with a line break is ignored',
    contained('hostile annotation: proxy-body-size with a line break'),
  );
  it('a load-balance with Lua in it is ignored', contained('hostile annotation: load-balance with Lua'));
  it(
    'an access restriction that is not supported closes its own routes with 503',
    contained('access annotation that is not supported'),
  );
  it('a field of the wrong kind leaves the object as it was', contained('field of the wrong kind'));
  it('an object of 2 MB leaves the object as it was', contained('object of 2 MB'));

  it('serves all thousand when everything is mended', async () => {
    const { asked, failures } = await visitAll(front, thousand.sites);
    assert.deepEqual([asked, failures], [COUNT, []]);
    assert.deepEqual(await checkedDiagnoses(thousand.folder.path), { code: 0, found: [] });
  });
});
