import { Agent } from 'node:http';
import { request } from '../../support/clients/http-client.ts';
import type { ManifestFolder } from '../../support/manifest-folder.ts';
import type { Scope } from '../../support/scope.ts';
import { startWeir, type Weir } from '../../support/weir.ts';
import { hostOf } from './scale-manifests.ts';

export interface ColdStart {
  readonly weir: Weir;
  /** From the start of the process. */
  readonly readySeconds: number;
  /** Until all of a sample of hosts, the last one among them, have answered. */
  readonly lastHostSeconds: number;
}

const SAMPLE = 100;
const PATIENCE_MS = 180_000;

/** Starts weir and asks, from the start on, for a sample of hosts until all have answered 200. */
export async function measureColdStart(
  scope: Scope,
  manifests: ManifestFolder,
  apps: number,
  again?: Weir,
): Promise<ColdStart> {
  const startedAt = performance.now();
  const since = () => (performance.now() - startedAt) / 1000;
  const weir = await startWeir(scope, {
    manifests,
    wait: false,
    ...(again === undefined ? {} : { again }),
  });
  const waiting = new Set(
    Array.from({ length: Math.min(SAMPLE, apps) }, (_, index) => apps - 1 - Math.floor((index * apps) / SAMPLE)),
  );
  let readySeconds = Number.NaN;
  while (waiting.size > 0 || Number.isNaN(readySeconds)) {
    if (since() * 1000 > PATIENCE_MS)
      throw new Error(`${waiting.size} of ${SAMPLE} hosts don't answer; weir says:\n${weir.output()}`);
    if (Number.isNaN(readySeconds) && (await statusOf(weir.adminPort, 'localhost', '/readyz')) === 200)
      readySeconds = since();
    for (const index of waiting) {
      if ((await statusOf(weir.httpPort, hostOf(index), '/')) !== 200) break;
      waiting.delete(index);
    }
    if (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { weir, readySeconds, lastHostSeconds: since() };
}

/** Asks each host once. Rejects with the number of those that don't answer 200. */
export async function everyHostAnswers(weir: Weir, apps: number): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let missing = 0;
  for (let index = 0; index < apps; index += 1) {
    if ((await statusOf(weir.httpPort, hostOf(index), '/', agent)) !== 200) missing += 1;
  }
  agent.destroy();
  if (missing > 0) throw new Error(`${missing} of ${apps} hosts don't answer though the sample does`);
}

async function statusOf(port: number, host: string, path: string, agent?: Agent): Promise<number> {
  try {
    return (await request({ port, host, path, ...(agent === undefined ? {} : { agent }) })).status;
  } catch {
    return 0;
  }
}
