import assert from 'node:assert/strict';
import type { Weir } from '../support/weir.ts';

/** Resolves when what the manifests hold now is in force; rejects when it isn't within 30 s. */
export async function settled(weir: Weir): Promise<void> {
  const { settled: done } = await weir.admin<{ readonly settled: boolean }>('/api/v1/status?wait=30');
  assert.equal(done, true);
}

/** How often nginx was reloaded since weir started. */
export async function reloadsOf(weir: Weir): Promise<number> {
  const { reloads } = await weir.admin<{ readonly reloads: number }>('/api/v1/status');
  return reloads;
}
