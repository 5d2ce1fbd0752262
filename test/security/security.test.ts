import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, matchesGlob, relative } from 'node:path';
import { type TestContext, test } from 'node:test';
import { makeAuthority } from '../support/certificates.ts';
import { ManifestFolder } from '../support/manifest-folder.ts';
import { startBackend } from '../support/backends/echo-backend.ts';
import { backendService, ingress, tlsSecret } from '../support/manifests.ts';
import { processesOf } from '../support/leftover-processes.ts';
import { eventually, temporaryDirectory } from '../support/scope.ts';
import { startWeir, type Weir } from '../support/weir.ts';
import { documentedFiles, documentedProcesses, documentedSockets } from './documented-tables.ts';
import { listeningSockets, type ProcessView, viewProcess } from './process-view.ts';

const OWN_UID = process.getuid?.() ?? -1;

interface Running {
  readonly weir: Weir;
  readonly processes: ReadonlyMap<number, ProcessView>;
}

/** A weir that has been through what makes files and processes: TLS, also towards a backend, a large body, a change, a reload, a restart. */
async function runningWeir(t: TestContext): Promise<Running> {
  const backend = await startBackend(t);
  const pair = await (await makeAuthority()).issue(['a.example']);
  const site = (annotations: Record<string, string>) => [
    ...backendService({ name: 'web', endpoints: [backend] }),
    tlsSecret({ name: 'a', ...pair }),
    ingress({
      name: 'a',
      host: 'a.example',
      paths: [{ service: 'web' }],
      tls: [{ hosts: ['a.example'], secretName: 'a' }],
      annotations,
    }),
    ingress({
      name: 'shown',
      host: 'shown.example',
      paths: [{ service: 'web' }],
      annotations: {
        'nginx.ingress.kubernetes.io/backend-protocol': 'HTTPS',
        'nginx.ingress.kubernetes.io/proxy-ssl-secret': 'default/a',
      },
    }),
  ];
  const manifests = new ManifestFolder(t, { 'site.yaml': site({}) });
  // Not there yet: what weir makes itself is what the document describes.
  const stateDir = join(temporaryDirectory(t, 'parent'), 'state');
  const first = await startWeir(t, { manifests, stateDir });
  manifests.write('site.yaml', site({ 'nginx.ingress.kubernetes.io/proxy-body-size': '7m' }));
  await first.settled();
  await first.stop('SIGKILL');
  const weir = await startWeir(t, { manifests, again: first });
  await weir.settled();
  const pids = new Set([weir.pid, ...processesOf(weir.stateDir, [weir.httpPort])]);
  return { weir, processes: new Map([...pids].map((pid) => [pid, viewProcess(pid)])) };
}

function workerUid(): number {
  if (OWN_UID !== 0) return OWN_UID;
  const names = ['www-data', 'nginx'];
  const passwd = readFileSync('/etc/passwd', 'utf8').split('\n');
  const line = names
    .map((name) => passwd.find((text) => text.startsWith(`${name}:`)))
    .find((text) => text !== undefined);
  assert.ok(line, 'no account for workers on this machine');
  return Number(line.split(':')[2]);
}

const uidOf = (account: 'same' | 'worker'): number => (account === 'same' ? OWN_UID : workerUid());

test('accounts, files, sockets and privileges are those that docs/security.md lists', async (t) => {
  const { weir, processes } = await runningWeir(t);

  await t.test('each process has the documented account and privileges', () => {
    const rows = documentedProcesses();
    const seen = new Set<string>();
    for (const view of processes.values()) {
      const row = rows.find(({ title }) => (title === 'weir' ? view.title === 'weir' : view.title.startsWith(title)));
      assert.ok(row, `docs/security.md names no process "${view.title}"`);
      seen.add(row.title);
      assert.equal(view.uid, uidOf(row.account), `account of "${view.title}"`);
      if (row.privileges === 'none') assert.equal(view.capabilities, 0n, `capabilities of "${view.title}"`);
      assert.equal(view.noNewPrivileges, !row.setuidGains, `"${view.title}" may gain privileges`);
    }
    assert.deepEqual([...seen].sort(), rows.map(({ title }) => title).sort());
  });

  await t.test('each file has the documented mode and owner, and each documented one is there', async () => {
    const rows = documentedFiles().map((row) => ({ ...row, glob: row.path.replaceAll('HASH', '*') }));
    await eventually('the model to be saved', () => walk(weir.stateDir).includes('model.jsonl'));
    const unused = new Set(rows.map(({ path }) => path));
    for (const path of walk(weir.stateDir)) {
      const row = rows.find(({ glob }) => path === glob) ?? rows.find(({ glob }) => matchesGlob(path, glob));
      assert.ok(row, `docs/security.md lists no ${path}`);
      unused.delete(row.path);
      const { mode, uid } = lstatSync(join(weir.stateDir, path));
      assert.ok(row.modes.includes(mode & 0o7777), `${path} has mode 0${(mode & 0o7777).toString(8)}`);
      assert.equal(uid, uidOf(row.account), `owner of ${path}`);
    }
    assert.deepEqual([...unused], [], 'documented, but not there');
  });

  await t.test('nothing listens but the documented sockets', () => {
    const places: Record<string, string> = {
      '--http-port': `tcp:${weir.httpPort}`,
      '--https-port': `tcp:${weir.httpsPort}`,
      '--admin-address': `tcp:${weir.adminPort}`,
      'admin.sock': `unix:${join(weir.stateDir, 'admin.sock')}`,
      'nginx/run/control.sock': `unix:${join(weir.stateDir, 'nginx/run/control.sock')}`,
    };
    const documented = documentedSockets().map(({ socket, owner }) => `${owner} ${places[socket] ?? socket}`);
    const found = new Set<string>();
    for (const [pid, { title }] of processes) {
      for (const socket of listeningSockets(pid)) found.add(`${title.startsWith('nginx') ? 'nginx' : title} ${socket}`);
    }
    assert.deepEqual([...found].sort(), [...documented].sort());
  });

  await t.test('a worker holds no file open but logs', () => {
    const workers = [...processes.values()].filter(({ title }) => title.startsWith('nginx: worker'));
    assert.ok(workers.length > 0);
    for (const { open } of workers) {
      const files = open.filter(
        (target) => target.startsWith('/') && !target.startsWith('/dev/') && !target.endsWith('(deleted)'),
      );
      for (const file of files) assert.match(relative(weir.stateDir, file), /^nginx\/log\/[a-z]+\.log$/u);
    }
  });

  await t.test(
    "another account can't read what it must not",
    { skip: OWN_UID !== 0 && 'only root can become another' },
    () => {
      const refused = (path: string) =>
        assert.throws(
          () =>
            execFileSync(
              'setpriv',
              ['--reuid=65534', '--regid=65534', '--clear-groups', 'cat', join(weir.stateDir, path)],
              { stdio: 'pipe' },
            ),
          /Permission denied/u,
          path,
        );
      for (const path of [
        'model.jsonl',
        'weir.pid',
        'nginx/run/token',
        'nginx/run/nginx.conf',
        'nginx/run/default-key.pem',
        'nginx/log/access.log',
      ])
        refused(path);
    },
  );
});

/** Paths below a directory, the directory itself as `.`. */
function walk(root: string): readonly string[] {
  return ['.', ...readdirSync(root, { recursive: true, encoding: 'utf8' })];
}
