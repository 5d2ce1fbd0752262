import { Agent } from 'node:http';
import { request } from '../../support/clients/http-client.ts';
import type { ManifestFolder } from '../../support/manifest-folder.ts';
import type { Weir } from '../../support/weir.ts';
import { quantile } from '../figures.ts';
import { nginxOf } from '../nginx-of-weir.ts';
import { cpuSeconds } from '../process-figures.ts';
import { appManifests, fileOf, hostOf, type ScaleOptions } from './scale-manifests.ts';

export interface ChangeFigures {
  readonly changes: number;
  /** From the rename of the changed file to the first answer that follows it. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly mostMs: number;
  /** CPU a change, of weir itself and of all of nginx (with the requests that look for the change). */
  readonly controllerCpuMs: number;
  readonly nginxCpuMs: number;
  readonly reloads: number;
}

const PATIENCE_MS = 30_000;

/** Moves the endpoints of one app after the other to another port, and asks its host until it answers from there. */
export async function measureChanges(
  folder: ManifestFolder,
  weir: Weir,
  options: ScaleOptions,
  certificates: ReadonlyMap<number, { certificate: string; key: string }>,
  changes: number,
): Promise<ChangeFigures> {
  const nginx = nginxOf(weir.stateDir);
  const nginxPids = [nginx.master, ...nginx.workers()];
  const reloadsBefore = await reloads(weir);
  const cpuBefore = [cpuSeconds([weir.pid]), cpuSeconds(nginxPids)] as const;
  const milliseconds: number[] = [];
  const moved = new Map<number, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (let change = 0; change < changes; change += 1) {
    // Spread over all of them; where there are fewer apps than changes, they move back and forth.
    const index = (change * Math.max(1, Math.floor(options.apps / changes))) % options.apps;
    const port =
      (moved.get(index) ?? options.ports.first) === options.ports.first ? options.ports.changed : options.ports.first;
    moved.set(index, port);
    folder.write(fileOf(index), appManifests(index, port, certificates.get(index)));
    const renamedAt = performance.now();
    await untilAnswered(weir.httpPort, agent, hostOf(index), `${port}\n`);
    milliseconds.push(performance.now() - renamedAt);
  }
  agent.destroy();
  const cpuAfter = [cpuSeconds([weir.pid]), cpuSeconds(nginxPids)] as const;
  return {
    changes,
    p50Ms: quantile(milliseconds, 0.5),
    p99Ms: quantile(milliseconds, 0.99),
    mostMs: Math.max(...milliseconds),
    controllerCpuMs: ((cpuAfter[0] - cpuBefore[0]) * 1000) / changes,
    nginxCpuMs: ((cpuAfter[1] - cpuBefore[1]) * 1000) / changes,
    reloads: (await reloads(weir)) - reloadsBefore,
  };
}

async function untilAnswered(port: number, agent: Agent, host: string, body: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const reply = await request({ port, agent, host });
    if (reply.status === 200 && reply.body === body) return;
    if (performance.now() > deadline)
      throw new Error(`${host} still answers ${reply.status} ${JSON.stringify(reply.body)}`);
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

async function reloads(weir: Weir): Promise<number> {
  return (await weir.admin<{ reloads: number }>('/api/v1/status')).reloads;
}
