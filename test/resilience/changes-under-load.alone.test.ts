import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import type { Status } from '../../src/controller/status.ts';
import { startBackends } from '../support/backends/echo-backend.ts';
import { makeAuthority } from '../support/certificates.ts';
import { WebSocketClient } from '../support/clients/websocket-client.ts';
import { request } from '../support/clients/http-client.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { eventually } from '../support/scope.ts';
import { startWeir } from '../support/weir.ts';
import { hostFiles } from './changes/host-files.ts';
import { fingerprintOf, type HostState } from './changes/host-state.ts';
import { KeptConnections, targetOf } from './changes/kept-connections.ts';
import { CHANGE_KINDS, nextChange } from './changes/next-change.ts';
import { Prober } from './changes/prober.ts';
import { Random } from './changes/random.ts';
import { slowDownload } from './changes/slow-download.ts';
import { wrongAnswers } from './changes/wrong-answers.ts';
import { LOAD_HOSTS, loadText, prepareLoad } from './load/load.ts';
import { nginxPids } from './nginx-processes.ts';

const CHANGES = Number(process.env['CHANGES'] ?? 300);
const RATE = 330;
/** Changes begin at least so many milliseconds apart, so that they last about as long as the load. */
const PACE = 150;
const REQUESTS = CHANGES * 66;
const HOSTS = 10;
const SEED = Number(process.env['CHANGES_SEED'] ?? 20_260_301);

test(`${CHANGES} changes under load: the next request to each worker is right, none fails, nginx never reloads, WebSockets and a download live on`, async (t) => {
  const random = new Random(SEED);
  const authority = await makeAuthority();
  const clientAuthorities = { own: await makeAuthority('Own clients'), foreign: await makeAuthority('Other clients') };
  const identity = await clientAuthorities.own.issue(['prober']);
  const backends = new Map((await startBackends(t, 6, 'pod')).map((backend) => [backend.name, backend]));
  const names = [...backends.keys()];
  const states: HostState[] = await Promise.all(
    Array.from({ length: HOSTS }, async (_, index) => ({
      host: `changing-${index}.example`,
      served: index % 4 !== 0,
      root: 'main',
      sub: index % 2 === 0 ? 'Prefix' : undefined,
      weight: index % 3 === 0 ? 50 : undefined,
      endpoints: { main: [names[0]!, names[1]!], alt: [names[2]!], canary: [names[3]!] },
      certificate: await authority.issue([`changing-${index}.example`]),
      clients: index % 5 === 0 ? 'own' : undefined,
    })),
  );
  const certificates = new Set(states.map(({ certificate }) => fingerprintOf(certificate)));
  const load = await prepareLoad(t);
  const download = await slowDownload(t);
  const folder = new ManifestFolder(t, { 'steady.yaml': load.manifests, 'download.yaml': download.manifests });
  for (const state of states) {
    for (const [file, content] of hostFiles(state, backends, clientAuthorities))
      if (content !== undefined) folder.write(file, content);
  }
  const weir = await startWeir(t, { manifests: folder, args: ['--workers', '2'] });
  await weir.settled();
  const sockets = await Promise.all([
    WebSocketClient.open(weir.httpPort, LOAD_HOSTS[0]),
    WebSocketClient.open(weir.httpsPort, LOAD_HOSTS[1], '/', {}),
  ]);
  t.after(() => sockets.forEach((socket) => socket.close()));
  const before = await weir.admin<Status>('/api/v1/status');
  // Those that had no listeners yet are still on their way out.
  const nginxBefore = await eventually('two workers', () => {
    const pids = nginxPids(weir);
    return pids.workers.length === 2 && pids;
  });
  const target = targetOf(weir, nginxBefore.workers, identity);
  const connections = new KeptConnections(target);
  t.after(() => connections.close());
  await download.begin(weir.httpPort);
  load.start(weir, RATE);

  const wrong: string[] = [];
  const times: number[] = [];
  const kinds = new Map<string, number>();
  let probes = 0;
  for (let number = 0; number < CHANGES; number += 1) {
    const change = await nextChange(states, names, random, authority);
    certificates.add(fingerprintOf(change.after.certificate));
    const { redone } = connections;
    const prober = await Prober.start(change.after.host, target, connections);
    const began = performance.now();
    const former = hostFiles(change.before, backends, clientAuthorities);
    for (const [file, content] of hostFiles(change.after, backends, clientAuthorities)) {
      if (JSON.stringify(content) === JSON.stringify(former.get(file))) continue;
      if (content === undefined) folder.remove(file);
      else folder.write(file, content);
    }
    const { settled, generation, appliedGeneration } = await weir.admin<Status & { settled: boolean }>(
      '/api/v1/status?wait=10',
    );
    const acknowledged = performance.now();
    await prober.finish();
    assert.ok(settled && appliedGeneration === generation, `change ${number} was not acknowledged within 10 s`);
    times.push(acknowledged - began);
    kinds.set(change.kind, (kinds.get(change.kind) ?? 0) + 1);
    probes += prober.observations.length;
    const asksOtherwise =
      change.kind === 'client-authority' || (change.kind === 'ingress' && change.after.clients !== undefined);
    if (!asksOtherwise) assert.equal(connections.redone, redone, `421 at a change of ${change.kind}`);
    wrong.push(...wrongAnswers(change, prober.observations, acknowledged, certificates));
    states[states.indexOf(change.before)] = change.after;
    // Within proxy-read-timeout, as any WebSocket application does.
    if (number % 5 === 0) await askAll(sockets, `change ${number}`);
    await delay(Math.max(0, began + PACE - performance.now()));
  }
  await eventually(`${REQUESTS} requests of the load`, async () => (await load.report()).requests >= REQUESTS, {
    withinMs: 90_000,
    everyMs: 250,
  });
  await askAll(sockets, 'all changes');
  const { sent, received } = await download.end();
  assert.equal(received, sent);

  const report = await load.stop();
  const after = await weir.admin<Status>('/api/v1/status');
  times.sort((a, b) => a - b);
  const percentile = (share: number) => Math.round(times[Math.floor((times.length - 1) * share)] ?? 0);
  t.diagnostic(
    `changes ${CHANGES} ${loadText(report)} wrong answers ${wrong.length} of ${probes} probes, change-to-ack p50 ${percentile(0.5)} p99 ${percentile(0.99)} longest ${percentile(1)} ms, reloads ${after.reloads - before.reloads}, ${connections.redone} times 421 and asked again`,
  );
  assert.deepEqual(wrong.slice(0, 20), []);
  assert.deepEqual(report.failures, []);
  assert.equal(report.failed, 0);
  assert.ok(report.requests >= REQUESTS);
  assert.ok(report.requests / report.seconds >= 200, `only ${report.requests / report.seconds} requests a second`);
  assert.ok(
    Object.values(report.byKind).every((count) => count >= REQUESTS / 20),
    JSON.stringify(report.byKind),
  );
  assert.deepEqual([...kinds.keys()].sort(), [...CHANGE_KINDS].sort());
  assert.equal(after.reloads, before.reloads);
  assert.deepEqual(nginxPids(weir), nginxBefore);
  await splitsAreReal(states, weir.httpPort);
});

/** The same WebSockets as before the first change. */
async function askAll(sockets: readonly WebSocketClient[], text: string): Promise<void> {
  for (const socket of sockets) assert.match(await socket.ask(text), new RegExp(`: ${text}$`));
}

/** A weight of 50 is allowed either answer while it is probed; here both must come. */
async function splitsAreReal(states: readonly HostState[], port: number): Promise<void> {
  for (const state of states) {
    const stable = state.endpoints[state.root];
    const canary = state.endpoints.canary.filter((name) => !stable.includes(name));
    if (!state.served || state.clients !== undefined || state.weight !== 50 || canary.length === 0) continue;
    const seen = new Set<unknown>();
    for (let count = 0; count < 200 && seen.size < 2; count += 1) {
      const { headers, status } = await request({ port, host: state.host });
      const name = String(headers['x-backend'] ?? status);
      seen.add(canary.includes(name) ? 'canary' : 'stable');
    }
    assert.deepEqual([...seen].sort(), ['canary', 'stable'], state.host);
  }
}
