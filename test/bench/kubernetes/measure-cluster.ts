import { Agent } from 'node:http';
import { quantile } from '../figures.ts';
import { untilAllAnswered, untilAnswered } from './asked-hosts.ts';
import type { ClusterApps } from './cluster-apps.ts';
import { type Memory, PUBLISHED, type ServedCluster } from './served-process.ts';

export interface Backend {
  readonly address: string;
  /** Answer with their own number. */
  readonly ports: readonly [number, number];
}

export interface ClusterSize {
  readonly apps: number;
  readonly changes: number;
  readonly burst: number;
  readonly cycles: number;
}

export interface ClusterFigures {
  readonly createSeconds: number;
  readonly coldSeconds: number;
  readonly statusSeconds: number;
  readonly started: Memory;
  readonly changeMs: { readonly p50: number; readonly p99: number; readonly most: number };
  /** Of which the API server took until it answered the write. */
  readonly writeMs: { readonly p50: number; readonly p99: number };
  readonly savedSeconds: number;
  readonly burst: { readonly createdSeconds: number; readonly servedSeconds: number; readonly statusSeconds: number };
  /** After the first and the last tenth of creations and deletions. */
  readonly cycled: { readonly before: Memory; readonly after: Memory };
}

const SAMPLE = 100;
/** What the start leaves is collected a second after its end. */
const REST_MS = 4000;

/** All figures of weir with so many Ingresses in a cluster. */
export async function measureCluster(
  apps: ClusterApps,
  backend: Backend,
  start: () => Promise<ServedCluster>,
  size: ClusterSize,
  say: (line: string) => void,
): Promise<ClusterFigures> {
  const { address, ports } = backend;
  const [first] = ports;
  const all = (count: number, from = 0) => Array.from({ length: count }, (_, index) => apps.hostOf(from + index));
  const createSeconds = await seconds(() => apps.create(0, size.apps, { address, port: first }));
  say(`${size.apps} Ingresses, Services and EndpointSlices created in ${createSeconds.toFixed(1)} s`);

  const stop = new AbortController();
  const unpublished = new Set(Array.from({ length: size.apps }, (_, index) => `app-${index}`));
  const published = apps.follow((name, addresses) => {
    if (addresses.includes(PUBLISHED)) unpublished.delete(name);
    return unpublished.size === 0;
  }, stop.signal);
  let served = await start();
  const sample = Array.from({ length: Math.min(SAMPLE, size.apps) }, (_, index) =>
    apps.hostOf(size.apps - 1 - Math.floor((index * size.apps) / SAMPLE)),
  );
  await untilAllAnswered(served.entry, sample, `${first}\n`);
  const coldSeconds = (performance.now() - served.startedAt) / 1000;
  say(`last host after ${coldSeconds.toFixed(2)} s`);
  await published;
  const statusSeconds = (performance.now() - served.startedAt) / 1000;
  say(`last address after ${statusSeconds.toFixed(2)} s`);
  await untilAllAnswered(served.entry, all(size.apps), `${first}\n`);
  await rest();
  const started = served.memory();
  say(`memory ${JSON.stringify(started)}`);

  const changes = await measureChanges(apps, backend, served, size);
  say(`${size.changes} changes: ${JSON.stringify(changes)}`);
  await served.settled();
  await rest();
  say(`memory ${JSON.stringify(served.memory())}`);

  const burst = await measureBurst(apps, backend, served, size);
  say(`${size.burst} at once: ${JSON.stringify(burst)}`);

  const cycled = await measureCycles(apps, backend, served, size, say);
  say(`memory after ${size.cycles} cycles ${JSON.stringify(cycled.after)}`);

  served = await served.again();
  await untilAllAnswered(served.entry, sample.slice(-20), `${first}\n`);
  const savedSeconds = (performance.now() - served.startedAt) / 1000;
  say(`with saved state, last host after ${savedSeconds.toFixed(2)} s`);
  await served.settled();
  await untilAllAnswered(served.entry, all(size.burst, size.apps), `${first}\n`);
  return { createSeconds, coldSeconds, statusSeconds, started, ...changes, savedSeconds, burst, cycled };
}

/** Moves the endpoints of one app after the other there and back, spread over all. */
async function measureChanges(
  apps: ClusterApps,
  { ports: [first, other] }: Backend,
  { entry }: ServedCluster,
  size: ClusterSize,
): Promise<Pick<ClusterFigures, 'changeMs' | 'writeMs'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const changes: number[] = [];
  const writes: number[] = [];
  for (let change = 0; change < size.changes; change += 1) {
    const index = (Math.floor(change / 2) * Math.floor((2 * size.apps) / size.changes)) % size.apps;
    const port = change % 2 === 0 ? other : first;
    const sentAt = performance.now();
    const write = apps.move(index, port).then(() => writes.push(performance.now() - sentAt));
    await untilAnswered(entry, apps.hostOf(index), `${port}\n`, 1, agent);
    changes.push(performance.now() - sentAt);
    await write;
  }
  agent.destroy();
  return {
    changeMs: { p50: quantile(changes, 0.5), p99: quantile(changes, 0.99), most: Math.max(...changes) },
    writeMs: { p50: quantile(writes, 0.5), p99: quantile(writes, 0.99) },
  };
}

/** Creates so many as fast as the API server takes them, and waits until all are served and have their address. */
async function measureBurst(
  apps: ClusterApps,
  { address, ports: [first] }: Backend,
  { entry }: ServedCluster,
  size: ClusterSize,
): Promise<ClusterFigures['burst']> {
  const from = size.apps;
  const indexes = Array.from({ length: size.burst }, (_, index) => from + index);
  const waiting = new Set(indexes.map((index) => `app-${index}`));
  const beganAt = performance.now();
  const since = () => (performance.now() - beganAt) / 1000;
  const [createdSeconds, statusSeconds, servedSeconds] = await Promise.all([
    apps.create(from, from + size.burst, { address, port: first }).then(since),
    apps
      .follow((name, addresses) => {
        if (addresses.includes(PUBLISHED)) waiting.delete(name);
        return waiting.size === 0;
      }, new AbortController().signal)
      .then(since),
    untilAllAnswered(
      entry,
      indexes.map((index) => apps.hostOf(index)),
      `${first}\n`,
    ).then(since),
  ]);
  return { createdSeconds, servedSeconds, statusSeconds };
}

/** Creates and deletes apps over and over: as many at the end as before. */
async function measureCycles(
  apps: ClusterApps,
  { address, ports: [first] }: Backend,
  served: ServedCluster,
  size: ClusterSize,
  say: (line: string) => void,
): Promise<ClusterFigures['cycled']> {
  const from = size.apps + size.burst;
  const step = Math.ceil(size.cycles / 10);
  let before: Memory | undefined;
  for (let done = 0; done < size.cycles; done += step) {
    await apps.create(from + done, from + done + step, { address, port: first });
    await apps.delete(from + done, from + done + step);
    await served.settled();
    const memory = served.memory();
    before ??= memory;
    say(`${done + step} cycles: controller ${memory.controllerMib.toFixed(0)} MiB`);
  }
  await rest();
  const after = served.memory();
  return { before: before ?? after, after };
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const beganAt = performance.now();
  await work();
  return (performance.now() - beganAt) / 1000;
}

function rest(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, REST_MS));
}
