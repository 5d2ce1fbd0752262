import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, test, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { weirVersion } from '../../src/lib/weir-version.ts';
import { buildExecutable } from '../../tools/build-executable.ts';
import { neededLibraries } from '../../tools/executable/needed-libraries.ts';
import { freePorts } from '../support/scope.ts';

const run = promisify(execFile);
let built: string;

before(async () => {
  built = await buildExecutable();
});

/** The executable alone in a directory: nothing of this folder is beside or above it. */
function alone(t: TestContext): { readonly directory: string; readonly weir: string } {
  const directory = mkdtempSync(join(tmpdir(), 'weir-executable-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  // nginx's workers pass through it.
  chmodSync(directory, 0o755);
  copyFileSync(built, join(directory, 'weir'));
  return { directory, weir: join(directory, 'weir') };
}

function manifests(port: number): string {
  const metadata = { name: 'site', namespace: 'default' };
  const labels = { 'kubernetes.io/service-name': 'site' };
  const path = { path: '/', pathType: 'Prefix', backend: { service: { name: 'site', port: { number: 80 } } } };
  return [
    { apiVersion: 'v1', kind: 'Service', metadata, spec: { ports: [{ name: 'http', port: 80 }] } },
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels },
      addressType: 'IPv4',
      ports: [{ name: 'http', port }],
      endpoints: [{ addresses: ['127.0.0.1'] }],
    },
    {
      apiVersion: 'networking.k8s.io/v1',
      kind: 'Ingress',
      metadata,
      spec: { ingressClassName: 'weir', rules: [{ host: 'site.example', http: { paths: [path] } }] },
    },
  ]
    .map((object) => `---\n${JSON.stringify(object)}\n`)
    .join('');
}

test('the executable needs the C and C++ libraries and libatomic, and nothing else', (t) => {
  const needed = neededLibraries(built);
  for (const name of needed) {
    assert.match(name, /^(?:ld-linux\S*|lib(?:c|m|dl|pthread|rt|gcc_s|stdc\+\+|atomic))\.so\.\d+$/u);
  }
  t.diagnostic(`${(statSync(built).size / 1e6).toFixed(1)} MB, links to ${needed.join(' ')}`);
});

test('alone in a directory it checks, renders, explains and serves with nginx, and leaves no warning on stderr', async (t) => {
  const { directory, weir } = alone(t);
  const backend = createServer((_, answer) => answer.end('from the backend')).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  t.after(() => backend.close());
  const file = join(directory, 'site.yaml');
  writeFileSync(file, manifests((backend.address() as AddressInfo).port));
  const call = (...args: readonly string[]) => run(weir, args, { cwd: directory });

  const version = await call('version', '-o', 'json');
  assert.deepEqual([(JSON.parse(version.stdout) as { weir: string }).weir, version.stderr], [weirVersion(), '']);
  assert.match((await call('check', '-f', file)).stderr, /0 errors/u);
  assert.match((await call('render', '-f', file, '--to', 'nginx')).stdout, /lua_package_path/u);
  assert.match((await call('explain', 'code', 'WEIR0103')).stdout, /WEIR0103/u);

  const [http, https, admin] = await freePorts(3);
  const state = join(directory, 'state');
  const options = ['--http-port', `${http}`, '--https-port', `${https}`, '--admin-address', `127.0.0.1:${admin}`];
  const serving = spawn(weir, ['run', '--manifests', file, '--state-dir', state, ...options], { stdio: 'pipe' });
  let log = '';
  for (const stream of [serving.stdout, serving.stderr]) stream.on('data', (chunk: Buffer) => (log += String(chunk)));
  const ended = once(serving, 'exit');
  try {
    const answer = await ask(http!, () => serving.exitCode !== null);
    assert.equal(answer, 'from the backend', log);
    assert.deepEqual(readdirSync(join(state, 'nginx', 'dataplane')).length, 1);
    const environment = readFileSync(`/proc/${serving.pid}/environ`, 'latin1');
    assert.match(environment, /MALLOC_ARENA_MAX=2/u);
    assert.doesNotMatch(log, /Warning/u);
  } finally {
    serving.kill('SIGTERM');
    await ended;
  }
});

test('a fault names the source file and line, not the bundle', async (t) => {
  const { directory, weir } = alone(t);
  const fault = join(directory, 'fault.cjs');
  writeFileSync(fault, `process.getuid = () => { throw new Error('planted'); };\n`);
  const environment = { ...process.env, NODE_OPTIONS: `--require ${fault}` };
  const failed = run(weir, ['run', '--manifests', directory], { env: environment });
  await assert.rejects(failed, (error: Error & { readonly code?: number; readonly stderr?: string }) => {
    assert.equal(error.code, 70);
    assert.match(error.stderr ?? '', /planted[\s\S]* \(src\/cli\/run\.ts:\d+:\d+\)/u);
    assert.doesNotMatch(error.stderr ?? '', /weir\.cjs/u);
    return true;
  });
});

async function ask(port: number, gaveUp: () => boolean): Promise<string | undefined> {
  const until = performance.now() + 60_000;
  for (;;) {
    const answer = await run('curl', ['-s', '-H', 'Host: site.example', `http://127.0.0.1:${port}/`]).catch(
      () => undefined,
    );
    if (answer?.stdout === 'from the backend' || gaveUp() || performance.now() > until) return answer?.stdout;
    await delay(100);
  }
}
