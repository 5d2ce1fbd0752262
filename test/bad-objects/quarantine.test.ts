import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { translatorFor } from '../../src/cli/translator-for.ts';
import { Controller } from '../../src/controller/controller.ts';
import { TranslatedFeed } from '../../src/controller/translated-feed.ts';
import { NginxDriver } from '../../src/drivers/nginx/nginx-driver.ts';
import { NginxSupervisor } from '../../src/drivers/nginx/supervisor/nginx-supervisor.ts';
import { FilesSource } from '../../src/sources/files/files-source.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';
import { endProcessesOf } from '../support/leftover-processes.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { freePorts, temporaryDirectory } from '../support/scope.ts';
import { makeSite, type Site, siteManifest } from './site.ts';
import { startSiteBackends } from './site-backends.ts';
import { assertMeanwhile } from './spoiled-site.ts';
import { COUNT } from './thousand-sites.ts';
import type { Front } from './visitor.ts';
import { visitAll } from './visits.ts';

/** Anywhere: two that bisection keeps together for long, and the last. */
const REFUSED = [411, 413, 999] as const;
/** A size of its own for every site: so each needs a part of nginx.conf that no other needs. */
const bodySize = (index: number) => 2_000_000 + index;
const mendedSize = (index: number) => 7_000_000 + index;
/**
 * One for the whole, one without any object's part, one for the listeners; for each object one that tells who it is, if
 * nginx names the line, and one for what is left; and one for everything again. Live changes may come in several applies.
 */
const MOST_RUNS_COLD = 4 + 2 * REFUSED.length;
const MOST_RUNS_LIVE = 6 * REFUSED.length;

test('three of a thousand objects that nginx -t refuses are found in few runs and quarantined until they change, and the rest goes live', async (t) => {
  const sites = Array.from({ length: COUNT }, (_, index) => makeSite(index));
  const port = await startSiteBackends(t, sites);
  const manifest = (site: Site, size: number) =>
    siteManifest(site, port, `    nginx.ingress.kubernetes.io/proxy-body-size: "${size}"\n`);
  const folder = new ManifestFolder(t);
  for (const [index, site] of sites.entries()) folder.write(site.file, manifest(site, bodySize(index)));
  const changed = (index: number) =>
    manifest(siteAt(index), bodySize(index)).replace('pathType: Prefix', 'pathType: ImplementationSpecific');
  const siteAt = (index: number) => sites[index] as Site;
  const served = (refused: readonly number[]) => sites.filter((_, index) => !refused.includes(index));
  const runs = t.mock.method(NginxSupervisor.prototype, 'test');
  const names = (refused: readonly number[]) => refused.map((index) => siteAt(index).name);

  await t.test('while weir runs', async (t) => {
    for (const index of REFUSED) folder.write(siteAt(index).file, manifest(siteAt(index), mendedSize(index)));
    const weir = await startInProcess(t, folder);
    assert.deepEqual(weir.quarantined(), []);
    const before = runs.mock.callCount();
    const begin = performance.now();
    for (const index of REFUSED) folder.write(siteAt(index).file, manifest(siteAt(index), bodySize(index)));
    await weir.settle();
    const count = runs.mock.callCount() - before;
    const found = weir.quarantined();
    t.diagnostic(
      `live: ${found.length} of ${COUNT} quarantined after ${count} runs of nginx -t, ${Math.round(performance.now() - begin)} ms`,
    );
    assert.deepEqual(found, names(REFUSED));
    assert.ok(count <= MOST_RUNS_LIVE, `${count} runs`);
    await weir.assertServed(served(REFUSED), REFUSED.map(siteAt));
    const place = await weir.locate(siteAt(413).name);
    assert.deepEqual([place?.file?.endsWith(siteAt(413).file), place?.line], [true, 13]);
    assert.match(place?.message ?? '', /client_max_body_size/);

    // Another object's change lifts nothing and costs no run.
    folder.write(siteAt(6).file, changed(6));
    await weir.settle();
    assert.deepEqual([weir.quarantined(), runs.mock.callCount() - before], [names(REFUSED), count]);

    // Its own does.
    folder.write(siteAt(413).file, manifest(siteAt(413), 2 * mendedSize(413)));
    await weir.settle();
    t.diagnostic(`mended one of them: ${runs.mock.callCount() - before - count} more runs`);
    assert.deepEqual(weir.quarantined(), names([411, 999]));

    // What nginx would take by now is tried again when the object changes, though it asks for the same as before.
    weir.forgive(bodySize(999));
    folder.write(siteAt(7).file, changed(7));
    await weir.settle();
    assert.deepEqual(weir.quarantined(), names([411, 999]));
    folder.write(siteAt(999).file, changed(999));
    await weir.settle();
    assert.deepEqual(weir.quarantined(), names([411]));
    await weir.assertServed(served([411]), [siteAt(411)]);
    await weir.stop();
  });

  await t.test('when one starts that knows nothing of it', async (t) => {
    for (const index of REFUSED) folder.write(siteAt(index).file, manifest(siteAt(index), bodySize(index)));
    const before = runs.mock.callCount();
    const weir = await startInProcess(t, folder);
    const count = runs.mock.callCount() - before;
    t.diagnostic(
      `cold: ${weir.quarantined().length} of ${COUNT} quarantined after ${count} runs of nginx -t, ${weir.milliseconds} ms`,
    );
    assert.deepEqual(weir.quarantined(), names(REFUSED));
    assert.ok(count <= MOST_RUNS_COLD, `${count} runs`);
    await weir.assertServed(served(REFUSED), REFUSED.map(siteAt));
    await weir.stop();
  });
});

/** Source, translator, controller and nginx in this process, with an nginx that refuses the parts of three sites. */
async function startInProcess(t: TestContext, folder: ManifestFolder) {
  const [httpPort = 0, httpsPort = 0] = await freePorts(2);
  let stop = async () => {};
  t.after(() => stop());
  const stateDirectory = temporaryDirectory(t, 'state');
  const refused = new Set<number>(REFUSED.map(bodySize));
  const driver = new NginxDriver({
    stateDirectory,
    dataplane: buildDataplane,
    workers: 2,
    drainTimeout: 3000,
    faultProfile: (profile) => (refused.has(profile.bodyLimit) ? { ...profile, bodyLimit: -1 } : profile),
  });
  const controller = new Controller({
    feed: new TranslatedFeed({
      source: new FilesSource({ folders: [folder.path] }),
      translator: translatorFor({ ingressClasses: ['weir'], httpPort, httpsPort, trustedProxies: [] }),
      query: async () => ({ outcome: 'gone', error: 'no DNS here' }),
    }),
    drivers: [driver],
    version: 'test',
  });
  let running = true;
  stop = async () => {
    if (running) await controller.stop('drain');
    running = false;
    await endProcessesOf(stateDirectory, [httpPort, httpsPort]);
  };
  const settle = async () => assert.equal(await controller.settle(AbortSignal.timeout(60_000)), true);
  const begin = performance.now();
  await controller.start();
  await settle();
  const front: Front = { httpPort, httpsPort, ca: '' };
  const findings = () => controller.findings().filter(({ severity }) => severity !== 'info');
  return {
    milliseconds: Math.round(performance.now() - begin),
    settle,
    stop,
    /** From now on nginx takes this size. */
    forgive: (size: number) => refused.delete(size),
    /** Names of the objects of all findings, which have to be quarantines. */
    quarantined: () =>
      findings()
        .map(({ code, object }) => (code === 'WEIR0407' ? object.name : `${code} ${object.name}`))
        .sort(),
    locate: async (name: string) => {
      const found = findings().find(({ object }) => object.name === name);
      return found === undefined ? undefined : await controller.locate(found);
    },
    async assertServed(good: readonly Site[], bad: readonly Site[]) {
      const { asked, failures, milliseconds } = await visitAll(front, good);
      t.diagnostic(`${asked - failures.length} of ${asked} others served in ${milliseconds} ms`);
      assert.deepEqual([asked, failures], [COUNT - bad.length, []]);
      for (const site of bad) await assertMeanwhile(front, site, 503);
    },
  };
}
