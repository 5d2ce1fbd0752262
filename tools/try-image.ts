import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { collect, ImageSandbox } from './image/image-sandbox.ts';
import { LOW_PORT_LAUNCHER } from './image/root-file-system.ts';
import { unpackImage } from './image/unpack-image.ts';

const ARCHIVE = resolve(import.meta.dirname, '../dist/weir-image.tar');
const PATIENCE_MS = 60_000;

/** Serves a manifest from dist/weir-image.tar, in the two ways a pod may start it, and asks for an answer. */
async function tryImage(directory: string): Promise<void> {
  const root = join(directory, 'root');
  const manifests = join(directory, 'manifests');
  for (const path of [root, manifests]) mkdirSync(path);
  const image = unpackImage(ARCHIVE, root);
  const state = join(directory, 'state');
  const sandbox = new ImageSandbox(root, image, { state, manifests });
  const backend = createServer((_, answer) => answer.end('from the backend')).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  writeFileSync(join(manifests, 'site.yaml'), manifest((backend.address() as AddressInfo).port));
  try {
    console.log((await sandbox.output([...image.entrypoint, 'version'])).trim());
    await sandbox.output([...image.entrypoint, 'check', '-f', '/run']);
    const run = [...image.entrypoint, 'run', '--manifests', '/run', '--admin-address', '127.0.0.1:9180'];
    await serve(sandbox, [...run, '--http-port', '8080', '--https-port', '8443'], 8080, false);
    await serve(sandbox, [...LOW_PORT_LAUNCHER, ...run, '--http-port', '80', '--https-port', '443'], 80, true);
  } finally {
    backend.close();
  }
}

async function serve(
  sandbox: ImageSandbox,
  command: readonly string[],
  port: number,
  lowPorts: boolean,
): Promise<void> {
  const child = sandbox.start(command, lowPorts);
  const log = collect(child);
  let ended = false;
  child.on('exit', () => (ended = true));
  try {
    const until = performance.now() + PATIENCE_MS;
    while ((await answerOf(port)) !== 'from the backend') {
      if (ended || performance.now() > until) throw new Error(`nothing answers on port ${port}:\n${log()}`);
      await delay(100);
    }
    assertHarmless(lowPorts);
  } finally {
    child.kill('SIGTERM');
    if (!ended) await once(child, 'exit');
  }
  console.log(
    `image: answers on port ${port} as uid 101, root file system read-only, ${lowPorts ? 'NET_BIND_SERVICE' : 'no capability'}`,
  );
}

/** Throws where a process of this network namespace that is nginx has more rights than it was given. */
function assertHarmless(lowPorts: boolean): void {
  const here = namespaceOf('self');
  const masters = globSync('/proc/[0-9]*').filter((path) => {
    try {
      return /nginx: /u.test(readFileSync(join(path, 'cmdline'), 'latin1')) && namespaceOf(path.slice(6)) === here;
    } catch {
      return false;
    }
  });
  if (masters.length === 0) throw new Error('no nginx is to be seen');
  const rights = lowPorts ? '0000000000000400' : '0000000000000000';
  for (const path of masters) {
    const status = readFileSync(join(path, 'status'), 'latin1');
    for (const line of [/^Uid:(\t101){4}$/mu, /^NoNewPrivs:\t1$/mu, new RegExp(`^CapPrm:\t${rights}$`, 'mu')]) {
      if (!line.test(status)) throw new Error(`nginx runs with other rights than ${line}:\n${status}`);
    }
  }
}

function namespaceOf(process: string): string {
  return spawnSync('readlink', [`/proc/${process}/ns/net`], { encoding: 'utf8' }).stdout;
}

async function answerOf(port: number): Promise<string | undefined> {
  try {
    const asked = request({ host: '127.0.0.1', port, headers: { host: 'site.example' }, timeout: 5000 }).end();
    const [answer] = (await once(asked, 'response')) as [AsyncIterable<Buffer>];
    const chunks: Buffer[] = [];
    for await (const chunk of answer) chunks.push(chunk);
    return Buffer.concat(chunks).toString();
  } catch {
    return undefined;
  }
}

function manifest(port: number): string {
  const metadata = { name: 'site', namespace: 'default' };
  const service = { name: 'site', port: { number: 80 } };
  const objects = [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'http', port: 80 }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'site' } },
      addressType: 'IPv4',
      ports: [{ name: 'http', port }],
      endpoints: [{ addresses: ['127.0.0.1'] }],
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: {
        ingressClassName: 'weir',
        rules: [{ host: 'site.example', http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service } }] } }],
      },
    },
  ];
  return objects.map((object) => `---\n${JSON.stringify(object)}\n`).join('');
}

if (process.getuid?.() !== 0) {
  console.log('image: not tried, which only root can (namespaces of its own and mounts)');
} else if (process.argv[2] === '--inside' && existsSync(ARCHIVE)) {
  await tryImage(process.argv[3]!);
} else {
  const directory = mkdtempSync(join(tmpdir(), 'weir-try-image-'));
  try {
    const args = [
      '--mount',
      '--net',
      '--propagation',
      'private',
      process.execPath,
      import.meta.filename,
      '--inside',
      directory,
    ];
    process.exitCode = spawnSync('unshare', args, { stdio: ['ignore', 'inherit', 'inherit'] }).status ?? 1;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
