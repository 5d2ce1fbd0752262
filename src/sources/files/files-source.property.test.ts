import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as fc from 'fast-check';
import { resourceKey } from '../../snapshot/resource.ts';
import { FilesSource } from './files-source.ts';
import { readManifests } from './read-manifests.ts';

const FILES = ['a.yaml', 'b.yml', 'x/c.json', 'x/y/d.yaml', 'z/e.yaml'];
const NAMES = ['one', 'two', 'three'];

const content = fc
  .array(fc.record({ name: fc.constantFrom(...NAMES), port: fc.integer({ min: 1, max: 3 }) }), { maxLength: 3 })
  .map((services) =>
    services
      .map(({ name, port }) =>
        JSON.stringify({ apiVersion: 'v1', kind: 'Service', metadata: { name }, spec: { port } }),
      )
      .join('\n---\n'),
  );
const file = fc.constantFrom(...FILES);
const edit = fc.oneof(
  { weight: 5, arbitrary: fc.record({ type: fc.constant('write' as const), file, content, rename: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ type: fc.constant('remove' as const), file: fc.constantFrom(...FILES, 'x', 'x/y') }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant('move' as const),
      from: fc.constantFrom('x', 'x/y', 'z', 'a.yaml', 'b.yml'),
      to: fc.constantFrom('w', 'z', 'b.yml', 'x'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('wait' as const), ms: fc.integer({ min: 1, max: 20 }) }) },
);
type Edit = typeof edit extends fc.Arbitrary<infer T> ? T : never;

async function apply(root: string, change: Edit): Promise<void> {
  switch (change.type) {
    case 'write': {
      const target = path.join(root, change.file);
      const first = change.rename ? `${target}.tmp` : target;
      try {
        mkdirSync(path.dirname(target), { recursive: true });
        writeFileSync(first, change.content);
        if (change.rename) renameSync(first, target);
      } catch {
        // A folder is in its place, or a file in that of its folder.
      }
      return;
    }
    case 'remove':
      rmSync(path.join(root, change.file), { recursive: true, force: true });
      return;
    case 'move':
      try {
        renameSync(path.join(root, change.from), path.join(root, change.to));
      } catch {
        // Not there, or the other is not empty.
      }
      return;
    case 'wait':
      await sleep(change.ms);
  }
}

/** What a fresh reading of the folder gives: the definition of what should have been delivered. */
async function expected(root: string): Promise<Record<string, unknown>> {
  const { changes } = await readManifests([root]);
  return Object.fromEntries(
    changes.map((change) => [
      resourceKey(change.type === 'put' ? change.resource.ref : change.ref),
      change.type === 'put' ? [change.resource.place?.file, change.resource.body] : undefined,
    ]),
  );
}

for (const how of ['settle', 'events alone'] as const) {
  test(`whatever is edited, what was delivered ends as what is in the folder (by ${how})`, async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { maxLength: 25 }), async (edits) => {
        const root = mkdtempSync(path.join(tmpdir(), 'weir-edits-'));
        const delivered: Record<string, unknown> = {};
        const timing = { quiet: 3, longest: 20, hold: 10, longestHold: 100, probe: 10, relist: 1_000_000 };
        const source = new FilesSource({ folders: [root], timing });
        try {
          await source.start({
            changed: (changes) => {
              for (const change of changes) {
                if (change.type === 'delete') delete delivered[resourceKey(change.ref)];
                else delivered[resourceKey(change.resource.ref)] = [change.resource.place?.file, change.resource.body];
              }
            },
            report: () => undefined,
            synced: () => undefined,
          });
          for (const change of edits) await apply(root, change);
          const wanted = await expected(root);
          if (how === 'settle') await source.settle();
          else {
            for (let tries = 0; tries < 400 && !same(delivered, wanted); tries += 1) await sleep(5);
          }
          assert.deepEqual(delivered, wanted);
        } finally {
          await source.stop();
          rmSync(root, { recursive: true, force: true });
        }
      }),
      { numRuns: 40 },
    );
  });
}

function same(a: unknown, b: unknown): boolean {
  try {
    assert.deepEqual(a, b);
    return true;
  } catch {
    return false;
  }
}
