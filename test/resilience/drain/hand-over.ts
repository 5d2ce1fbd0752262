/**
 * A program that runs in a network namespace of its own, as a host's network is: two weirs with state directories of their
 * own take the same ports over from each other while clients are at it. Writes the load's report as JSON.
 * `hand-over.ts NGINX SWAPS`
 */
import { setTimeout as delay } from 'node:timers/promises';
import { startBackend } from '../../support/backends/echo-backend.ts';
import { request } from '../../support/clients/http-client.ts';
import { runCommand } from '../../support/run-command.ts';
import { ClientFleet } from '../../support/load/client-fleet.ts';
import { ManifestFolder } from '../../support/manifest-folder.ts';
import { backendService, ingress } from '../../support/manifests.ts';
import { startWeir, type Weir } from '../../support/weir.ts';
import { eventually, type Scope } from '../../support/scope.ts';

const HOST = 'steady.example';
const ARGS = ['--drain-delay', '3s', '--drain-timeout', '3s', '--workers', '2', '--share-ports'];
const [, , nginx = '', swaps = '2'] = process.argv;

const undos: (() => void | Promise<void>)[] = [];
const scope: Scope = { after: (undo) => undos.push(undo) };

async function handOver(): Promise<unknown> {
  const backend = await startBackend(scope, { name: 'steady' });
  const folder = new ManifestFolder(scope, {
    'steady.yaml': [
      ingress({ name: 'steady', host: HOST, paths: [{ service: 'steady' }] }),
      ...backendService({ name: 'steady', endpoints: [backend] }),
    ],
  });
  const start = (beside?: Weir) =>
    startWeir(scope, {
      manifests: folder,
      args: ARGS,
      env: { WEIR_NGINX: nginx },
      ...(beside === undefined ? {} : { ports: [beside.httpPort, beside.httpsPort, beside.adminPort] }),
    });
  let weir = await start();
  const target = { address: '127.0.0.1', httpPort: weir.httpPort, httpsPort: weir.httpsPort };
  const fleet = await ClientFleet.start(
    {
      host: HOST,
      kept: { connections: 150, pauseMs: [100, 1800] },
      fresh: { perSecond: 150 },
      http2: { connections: 30, pauseMs: [100, 1800] },
    },
    [target],
  );
  await delay(1000);
  const exits: (number | NodeJS.Signals)[] = [];
  for (let count = 0; count < Number(swaps); count += 1) {
    const next = await start(weir);
    await ownProbe(next);
    exits.push(await weir.stop('SIGTERM'));
    weir = next;
  }
  await delay(1000);
  const alone = await request({ port: weir.httpPort, host: HOST });
  return { exits, status: alone.status, report: await fleet.stop() };
}

/** As the kubelet asks: the port would be answered by either of the two. */
async function ownProbe(weir: Weir): Promise<void> {
  const admin = `unix:${weir.stateDir}/admin.sock`;
  const ready = async () => (await runCommand(['status', '--ready', '--admin', admin])).code === 0;
  await eventually('the new weir to be ready', ready, { withinMs: 30_000 });
}

try {
  process.stdout.write(JSON.stringify(await handOver()));
} finally {
  for (const undo of undos) await undo();
}
process.exit();
