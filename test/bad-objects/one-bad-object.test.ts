import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { suiteScope } from '../support/suite-scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { checkedDiagnoses, diagnosed, expectedDiagnoses, liveDiagnoses } from './diagnosis.ts';
import { FAULTS, placeFault } from './faults.ts';
import { reloadsOf, settled } from './in-force.ts';
import { assertMeanwhile } from './spoiled-site.ts';
import { COUNT, makeThousandSites, type ThousandSites } from './thousand-sites.ts';
import type { Front } from './visitor.ts';
import { keepVisiting, visitAll } from './visits.ts';

describe('one bad object among a thousand', () => {
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

  for (const [number, fault] of FAULTS.entries()) {
    it(`${fault.title}: the other 999 are served, check and diagnostics name it, and mending heals`, async (t) => {
      const { sites, folder, manifest } = thousand;
      const place = placeFault(sites, number);
      const { site, victim } = place;
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
      console.log(`${fault.title}: ${figures.join('; ')}`);

      assert.deepEqual([visits.asked, visits.failures], [COUNT - 1, []]);
      assert.deepEqual(meanwhile.failures, []);
      assert.ok(meanwhile.asked > 0);
      assert.deepEqual(diagnosed(live), expectedDiagnoses(place, bad, folder.path));
      for (const { fix } of live) assert.match(fix, /\w+ \w+/);
      assert.deepEqual(checked, { code: fault.exit ?? 1, found: live });
      assert.deepEqual(await liveDiagnoses(weir), []);
      assert.equal(await reloadsOf(weir), reloads);
    });
  }

  it('serves all thousand when everything is mended', async () => {
    const { asked, failures } = await visitAll(front, thousand.sites);
    assert.deepEqual([asked, failures], [COUNT, []]);
    assert.deepEqual(await checkedDiagnoses(thousand.folder.path), { code: 0, found: [] });
  });
});
