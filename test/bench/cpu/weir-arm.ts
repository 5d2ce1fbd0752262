import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ManifestFolder } from '../../support/manifest-folder.ts';
import { backendService, ingress, type Manifest } from '../../support/manifests.ts';
import type { Scope } from '../../support/scope.ts';
import { startWeir } from '../../support/weir.ts';
import { nginxOf } from '../nginx-of-weir.ts';
import { BACKEND_HEADERS } from './proxy-conf.ts';

export interface WeirArm {
  readonly httpPort: number;
  readonly workers: () => readonly number[];
}

/** weir with one nginx worker; of `hosts` Ingresses one is for bench.test, all have the same endpoints. */
export async function startWeirArm(
  scope: Scope,
  { hosts, backendPorts }: { hosts: number; backendPorts: readonly number[] },
): Promise<WeirArm> {
  const endpoints = backendPorts.map((port) => ({ address: '127.0.0.1', port }));
  const manifests: Manifest[] = [];
  for (let index = 0; index < hosts; index += 1) {
    const name = `app-${index}`;
    const host = index === 0 ? 'bench.test' : `app-${index}.test`;
    manifests.push(ingress({ name, host, paths: [{ service: name }] }), ...backendService({ name, endpoints }));
  }
  const folder = new ManifestFolder(scope, { 'apps.json': manifests });
  const weir = await startWeir(scope, { manifests: folder, args: ['--workers', '1'], withinMs: 60_000 });
  const nginx = nginxOf(weir.stateDir);
  assertSameHeaders(readFileSync(join(weir.stateDir, 'nginx/run/nginx.conf'), 'utf8'));
  return { httpPort: weir.httpPort, workers: nginx.workers };
}

/** Otherwise the comparison would be unfair without anybody noticing. */
function assertSameHeaders(conf: string): void {
  const set = new Set([...conf.matchAll(/^\s*proxy_set_header\s+"?([\w-]+)"?/gm)].map(([, name = '']) => name));
  const byHand = new Set(BACKEND_HEADERS.map(([name]) => name));
  const differing = [...set.symmetricDifference(byHand)];
  if (differing.length > 0) {
    throw new Error(
      `weir and the configuration by hand set different headers (${differing.join(', ')}); bring proxy-conf.ts up to date`,
    );
  }
}
