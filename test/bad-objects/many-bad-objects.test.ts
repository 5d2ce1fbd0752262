import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startWeir, type Weir } from '../support/weir.ts';
import { byPlace, checkedDiagnoses, diagnosed, expectedDiagnoses, liveDiagnoses } from './diagnosis.ts';
import { FAULTS, placeFault } from './faults.ts';
import { reloadsOf, settled } from './in-force.ts';
import type { Site } from './site.ts';
import { assertMeanwhile } from './spoiled-site.ts';
import { COUNT, makeThousandSites, type ThousandSites } from './thousand-sites.ts';
import type { Front } from './visitor.ts';
import { keepVisiting, visitAll } from './visits.ts';

test('every kind of bad object at once, while weir runs: all others are served, each is named, and mending heals all', async (t) => {
  const thousand = await makeThousandSites(t);
  const weir = await startWeir(t, { manifests: thousand.folder });
  await settled(weir);
  const reloads = await reloadsOf(weir);
  const visiting = keepVisiting(frontOf(weir, thousand), unspoiled(thousand));
  t.after(() => visiting.stop());
  const expected = spoilAll(thousand);
  await settled(weir);
  await assertAllNamed(t, weir, thousand, expected, 'live');
  await mendAll(weir, thousand);
  const { asked, failures } = await visiting.stop();
  t.diagnostic(`${FAULTS.length} faults live: ${asked} requests meanwhile, ${failures.length} failed`);
  assert.deepEqual(failures, []);
  assert.equal(await reloadsOf(weir), reloads);
});

test('every kind of bad object at once, when weir starts for the first time: all others are served, each is named, and mending heals all', async (t) => {
  const thousand = await makeThousandSites(t);
  const expected = spoilAll(thousand);
  const begin = performance.now();
  const weir = await startWeir(t, { manifests: thousand.folder });
  await settled(weir);
  t.diagnostic(`cold start with ${FAULTS.length} faults: in force after ${Math.round(performance.now() - begin)} ms`);
  await assertAllNamed(t, weir, thousand, expected, 'cold');
  await mendAll(weir, thousand);
});

type Expected = ReturnType<typeof expectedDiagnoses>;

const NUMBERS = FAULTS.keys().toArray();

/** Writes each fault into a site of its own; returns what has to be found. */
function spoilAll({ sites, folder, manifest }: ThousandSites): Expected {
  const found = NUMBERS.flatMap((number) => {
    const place = placeFault(sites, number);
    const { fault, site, victim } = place;
    const bad = fault.spoil(manifest(site), site, victim);
    folder.write(site.file, bad);
    return expectedDiagnoses(place, bad, folder.path);
  });
  return found.sort(byPlace);
}

async function assertAllNamed(
  t: TestContext,
  weir: Weir,
  thousand: ThousandSites,
  expected: Expected,
  when: 'live' | 'cold',
) {
  const front = frontOf(weir, thousand);
  const others = unspoiled(thousand);
  const visits = await visitAll(front, others);
  const found = await liveDiagnoses(weir);
  const served = `${visits.asked - visits.failures.length} of ${visits.asked} others served`;
  t.diagnostic(`${FAULTS.length} faults ${when}: ${served} in ${visits.milliseconds} ms, ${found.length} findings`);
  assert.deepEqual([visits.asked, visits.failures], [COUNT - FAULTS.length, []]);
  assert.deepEqual(diagnosed(found), expected);
  assert.deepEqual(await checkedDiagnoses(thousand.folder.path), { code: 1, found });
  for (const number of NUMBERS) {
    const { fault, site } = placeFault(thousand.sites, number);
    await assertMeanwhile(front, site, when === 'live' ? fault.live : (fault.cold ?? fault.live), fault.path);
  }
}

async function mendAll(weir: Weir, thousand: ThousandSites): Promise<void> {
  for (const number of NUMBERS) {
    const { site } = placeFault(thousand.sites, number);
    thousand.folder.write(site.file, thousand.manifest(site));
  }
  await settled(weir);
  const { asked, failures } = await visitAll(frontOf(weir, thousand), thousand.sites);
  assert.deepEqual([asked, failures], [COUNT, []]);
  assert.deepEqual(await liveDiagnoses(weir), []);
}

function unspoiled({ sites }: ThousandSites): readonly Site[] {
  const spoiled = new Set(NUMBERS.map((number) => placeFault(sites, number).site));
  return sites.filter((site) => !spoiled.has(site));
}

function frontOf({ httpPort, httpsPort }: Weir, { ca }: ThousandSites): Front {
  return { httpPort, httpsPort, ca };
}
