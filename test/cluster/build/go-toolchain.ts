import { chmodSync, copyFileSync, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { ClusterError } from '../cluster-error.ts';
import { runTool, tryTool } from '../machine/run-tool.ts';
import type { Progress } from '../progress.ts';
import { VERSIONS } from '../versions.ts';
import type { BuildCache } from './build-cache.ts';

const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/**
 * Path of a Go that is new enough for Kubernetes: the machine's own, or one that the machine's older Go fetches. The
 * toolchain is a Go module, so any Go since 1.13 can fetch it and checks it against the checksum database; from 1.21
 * on Go would do all of this by itself, but Debian 12 has 1.19.
 */
export async function findGo(cache: BuildCache, progress: Progress): Promise<string> {
  const found = await tryTool('go', ['env', 'GOVERSION'], { env: { GOTOOLCHAIN: 'local' } }).catch(() => undefined);
  if (found === undefined) {
    throw new ClusterError(
      'there is no Go. Install one (Debian: apt-get install -y --no-install-recommends golang-go); any version since 1.13 will do.',
    );
  }
  const version = found.out.trim().replace(/^go/, '');
  if (isAtLeast(version, VERSIONS.go)) return 'go';
  const folder = await cache.folder(`go-${VERSIONS.go}`, [VERSIONS.go, process.arch], (scratch) =>
    progress.step(`fetching Go ${VERSIONS.go} (this machine has ${version || 'an older one'})`, () => fetchGo(scratch)),
  );
  return join(folder, 'go', 'bin', 'go');
}

async function fetchGo(scratch: string): Promise<void> {
  const architecture = ARCHITECTURES[process.arch];
  if (architecture === undefined) throw new ClusterError(`there is no Go toolchain for ${process.arch} here`);
  const module = `golang.org/toolchain@v0.0.1-go${VERSIONS.go}.linux-${architecture}`;
  const answer = await runTool('go', ['mod', 'download', '-json', module], {
    cwd: scratch,
    env: { GOTOOLCHAIN: 'local', GOFLAGS: '' },
  });
  const { Dir: source } = JSON.parse(answer) as { readonly Dir: string };
  const target = join(scratch, 'go');
  await runTool('cp', ['-r', source, target]);
  await runTool('chmod', ['-R', 'u+w', target]);
  // A module can hold neither executable files nor modules of its own.
  for (const folder of ['bin', ...toolFolders(target)]) {
    for (const file of readdirSync(join(target, folder))) chmodSync(join(target, folder, file), 0o755);
  }
  for (const folder of ['src', 'src/cmd']) {
    const hidden = join(target, folder, '_go.mod');
    if (existsSync(hidden)) copyFileSync(hidden, join(target, folder, 'go.mod'));
  }
}

function toolFolders(root: string): string[] {
  return readdirSync(join(root, 'pkg', 'tool')).map((name) => `pkg/tool/${name}`);
}

/** Compares `1.26.8` with `1.19`; a missing part is 0. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [have, want] = [version, wanted].map((text) => text.split('.').map((part) => Number.parseInt(part, 10) || 0));
  for (let index = 0; index < 3; index += 1) {
    const difference = (have?.[index] ?? 0) - (want?.[index] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}
