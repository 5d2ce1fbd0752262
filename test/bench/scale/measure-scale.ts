import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManifestFolder } from '../../support/manifest-folder.ts';
import { eventually, freePorts, type Scope, temporaryDirectory } from '../../support/scope.ts';
import type { Weir } from '../../support/weir.ts';
import { backendConf } from '../cpu/backend-conf.ts';
import { startNginx } from '../nginx-process.ts';
import { nginxOf } from '../nginx-of-weir.ts';
import { cpuSeconds, residentMib } from '../process-figures.ts';
import { runWrk } from '../wrk.ts';
import { type ChangeFigures, measureChanges } from './change-to-traffic.ts';
import { everyHostAnswers, measureColdStart } from './cold-start.ts';
import { BACKEND_ADDRESSES, hostOf, writeScaleManifests } from './scale-manifests.ts';

export interface ScaleFigures {
  readonly apps: number;
  readonly certificates: number;
  readonly coldSeconds: number;
  readonly savedSeconds: number;
  /** After the changes. */
  readonly controllerMib: number;
  /** Of a weir that began with saved state and did nothing since. */
  readonly savedMib: number;
  readonly masterMib: number;
  readonly workersMib: readonly number[];
  readonly change: ChangeFigures;
  /** CPU of nginx's workers, µs a request, the hosts taking turns. */
  readonly requestMicros: number;
}

/** All figures of weir with this many Ingresses: a start from the folder alone, changes, a start with saved state. */
export async function measureScale(
  scope: Scope,
  size: {
    readonly apps: number;
    readonly certificates: number;
    readonly changes: number;
    readonly loadSeconds: number;
  },
  say: (line: string) => void,
): Promise<ScaleFigures> {
  const [first = 0, changed = 0] = await freePorts(2);
  await startNginx(scope, 'backend', first, backendConf([first, changed], BACKEND_ADDRESSES));
  const options = { ...size, ports: { first, changed } };
  const folder = new ManifestFolder(scope);
  const certificates = await writeScaleManifests(folder, options);
  say(`${size.apps} Ingresses: manifests written`);
  const cold = await measureColdStart(scope, folder, size.apps);
  say(`${size.apps} Ingresses: last host after ${cold.lastHostSeconds.toFixed(2)} s`);
  await everyHostAnswers(cold.weir, size.apps);
  const change = await measureChanges(folder, cold.weir, options, certificates, size.changes);
  say(`${size.apps} Ingresses: ${size.changes} changes, median ${change.p50Ms.toFixed(1)} ms`);
  const nginx = nginxOf(cold.weir.stateDir);
  const requestMicros = await measureRequests(scope, cold.weir.httpPort, nginx.workers(), size);
  say(`${size.apps} Ingresses: ${requestMicros.toFixed(1)} µs of CPU a request`);
  const memory = {
    controllerMib: residentMib(cold.weir.pid),
    masterMib: residentMib(nginx.master),
    workersMib: nginx.workers().map(residentMib),
  };
  await saved(cold.weir);
  await cold.weir.stop('SIGTERM');
  const again = await measureColdStart(scope, folder, size.apps, cold.weir);
  say(`${size.apps} Ingresses: with saved state, last host after ${again.lastHostSeconds.toFixed(2)} s`);
  await again.weir.settled();
  await everyHostAnswers(again.weir, size.apps);
  const savedMib = residentMib(again.weir.pid);
  await again.weir.stop('SIGTERM');
  return {
    apps: size.apps,
    certificates: size.certificates,
    coldSeconds: cold.lastHostSeconds,
    savedSeconds: again.lastHostSeconds,
    ...memory,
    savedMib,
    change,
    requestMicros,
  };
}

async function saved(weir: Weir): Promise<void> {
  await eventually('the state to be on disk', async () => {
    const status = await weir.admin<{ savedState: { pending: number } }>('/api/v1/status');
    return status.savedState.pending === 0;
  });
}

async function measureRequests(
  scope: Scope,
  port: number,
  workers: readonly number[],
  { apps, loadSeconds }: { readonly apps: number; readonly loadSeconds: number },
): Promise<number> {
  const script = join(temporaryDirectory(scope, 'wrk'), 'hosts.lua');
  writeFileSync(script, hostsInTurn(apps));
  const load = { port, host: hostOf(0), connections: 32, script };
  // Each worker compiles each host once; that is not part of the figure.
  await runWrk({ ...load, seconds: Math.max(1, loadSeconds - 1) });
  const before = cpuSeconds(workers);
  const { requests } = await runWrk({ ...load, seconds: loadSeconds });
  return ((cpuSeconds(workers) - before) / requests) * 1e6;
}

/** wrk's side: every host in an order that has nothing to do with their names. */
function hostsInTurn(apps: number): string {
  return `local n = 0
request = function()
  n = (n + 7919) % ${apps}
  return wrk.format("GET", "/", { Host = "app-" .. n .. ".scale.test" })
end
`;
}
