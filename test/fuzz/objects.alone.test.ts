import assert from 'node:assert/strict';
import { after, before, suite, test, type TestContext } from 'node:test';
import { seedOf } from '../support/seed.ts';
import fc from 'fast-check';
import { annotationReference } from '../../src/translate/ingress/annotations/reference.ts';
import { BATCH, Campaign } from './campaign.ts';
import { type HostileValue, hostileValues } from './hostile-values.ts';
import { shuffled } from './shuffle.ts';
import type { Mutation } from './spoiled.ts';

const SEED = seedOf('FUZZ_SEED');
/** How many values every place gets. Twice their number is every value, instead of what stands there and behind it. */
const ROUNDS = Number(process.env['FUZZ_ROUNDS'] ?? 8);
/** Only places that have this in their name: `FUZZ_PLACES=proxy-ssl FUZZ_ROUNDS=400` tries everything there. */
const ONLY = process.env['FUZZ_PLACES'] ?? '';
/** How often many specimens with several values each are tried. */
const MIXTURES = Number(process.env['FUZZ_MIXTURES'] ?? 6);
const MIXED = 250;
/** Milliseconds that it may take to find the smallest case that fails. */
const SHRINKING = 180_000;

suite('hostile values in objects', () => {
  const undos: (() => void | Promise<void>)[] = [];
  let campaign: Campaign;
  let values: readonly HostileValue[];

  before(async () => {
    campaign = await Campaign.start({ after: (undo) => undos.push(undo) });
    values = hostileValues({ adminPort: campaign.decoy.port, controlSocket: campaign.weir.controlSocket });
  });

  after(async () => {
    for (const undo of undos) await undo();
  });

  test('what the harmless specimens ask for is served, and nothing is said about them', async () => {
    assert.deepEqual(await campaign.run([[], [], []]), []);
    assert.deepEqual(campaign.weir.controller.findings(), []);
    assert.equal(campaign.figures.served, 3);
  });

  test('a hostile value at every field and annotation is served as what it is, or reported, and reaches nothing else', async (t) => {
    const places = campaign.places.filter(({ name }) => name.includes(ONLY));
    const order = places.map((_place, index) => shuffled(values, SEED + index));
    const mutations = Array.from({ length: ROUNDS }, (_, round) =>
      places.map((place, index): Mutation => {
        const value = order[index]![round % values.length]!;
        return { place, value, behind: (index + round + Math.floor(round / values.length)) % 2 === 1 };
      }),
    ).flat();
    for (let start = 0; start < mutations.length; start += BATCH) {
      await assertNoFault(campaign, mutations.slice(start, start + BATCH));
    }
    report(t, campaign);
    assert.equal(campaign.figures.places.size, places.length);
  });

  test('hostile values at several fields and annotations of one object together are no different', async (t) => {
    const mutation = fc.tuple(fc.nat(campaign.places.length - 1), fc.nat(values.length - 1), fc.boolean());
    const specimen = fc.array(mutation, { minLength: 2, maxLength: 5 });
    const property = fc.asyncProperty(
      fc.array(specimen, { minLength: 1, maxLength: MIXED, size: 'max' }),
      async (batch) => {
        const faults = await campaign.run(
          batch.map((each) =>
            each.map(([place, value, behind]) => ({ place: campaign.places[place]!, value: values[value]!, behind })),
          ),
        );
        assert.deepEqual(faults, []);
      },
    );
    await fc.assert(property, {
      seed: SEED,
      numRuns: MIXTURES,
      interruptAfterTimeLimit: SHRINKING,
      markInterruptAsFailure: true,
    });
    report(t, campaign);
  });

  test('the admin address and the control socket saw nobody but weir', (t) => {
    t.diagnostic(`control socket: ${campaign.logs.controlRequests} requests, all of weir itself; admin address: none`);
    assert.deepEqual(campaign.standingFaults(), []);
    assert.equal(campaign.decoy.connections(), 0);
    assert.ok(campaign.logs.controlRequests > 0);
  });
});

/** Each value in a specimen of its own; where something is wrong, the fewest that show it are told. */
async function assertNoFault(campaign: Campaign, mutations: readonly Mutation[]): Promise<void> {
  const faults = await campaign.run(mutations.map((mutation) => [mutation]));
  if (faults.length === 0) return;
  const property = fc.asyncProperty(fc.subarray([...mutations.keys()], { minLength: 1 }), async (kept) => {
    const again = await campaign.run(kept.map((index) => [mutations[index]!]));
    if (again.length > 0) throw new Error(again.join('\n'));
  });
  const details = await fc.check(property, { seed: SEED, numRuns: 20, interruptAfterTimeLimit: SHRINKING });
  const least = details.errorInstance instanceof Error ? details.errorInstance.message : 'it does not happen again';
  const count = details.counterexample?.[0].length ?? 0;
  assert.fail(
    `FUZZ_SEED=${SEED}: ${faults.length} faults:\n${shortened(faults.join('\n'))}\n\n${count} values suffice:\n${shortened(least)}`,
  );
}

function shortened(text: string): string {
  return text.length < 8_000 ? text : `${text.slice(0, 8_000)}…`;
}

function report(t: TestContext, { figures, places, logs, weir, shape }: Campaign): void {
  const annotations = new Set(annotationReference().flatMap(({ keys }) => keys));
  const tried = [...figures.places].filter((name) => annotations.has(name.replace('annotation ', '')));
  const statuses = [...logs.statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${count} × ${status}`);
  t.diagnostic(
    `FUZZ_SEED=${SEED}: ${figures.specimens} specimens, ${figures.values.size} values at ${figures.places.size} of ` +
      `${places.length} places, ${tried.length} of ${annotations.size} annotations (with either prefix) among them: ` +
      `${figures.reported} reported by ${figures.findings} findings, ${figures.served} served`,
  );
  t.diagnostic(
    `${figures.requests} requests (${statuses.join(', ')}), ${figures.handshakes} TLS handshakes; ` +
      `${weir.events.filter(({ event }) => event === 'reloaded').length} reloads, ${logs.refusals} complaints of nginx -t; ` +
      `${shape.size} kinds of directive`,
  );
}
