import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyPair } from '../../support/certificates.ts';
import { ManifestFolder } from '../../support/manifest-folder.ts';
import { backendService, ingress, type Manifest, tlsSecret } from '../../support/manifests.ts';
import type { Scope } from '../../support/scope.ts';
import { startWeir } from '../../support/weir.ts';
import { nginxOf } from '../nginx-of-weir.ts';
import { BACKEND_HEADERS, type ProxyHost } from './proxy-conf.ts';

export interface WeirArm {
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly workers: () => readonly number[];
}

const HOSTS_A_FILE = 100;

/** weir with one nginx worker; each host has its own Ingress and Service. `pair`: the certificate of all of them. */
export async function startWeirArm(scope: Scope, hosts: readonly ProxyHost[], pair?: KeyPair): Promise<WeirArm> {
  const files: Record<string, Manifest[]> = {};
  for (const [index, host] of hosts.entries()) {
    const file = (files[`apps-${Math.floor(index / HOSTS_A_FILE)}.json`] ??= []);
    file.push(...appManifests(`app-${index}`, host, pair));
  }
  const folder = new ManifestFolder(scope, files);
  const weir = await startWeir(scope, { manifests: folder, args: ['--workers', '1'], withinMs: 60_000 });
  const nginx = nginxOf(weir.stateDir);
  assertSameHeaders(readFileSync(join(weir.stateDir, 'nginx/run/nginx.conf'), 'utf8'));
  return { httpPort: weir.httpPort, httpsPort: weir.httpsPort, workers: nginx.workers };
}

function appManifests(name: string, host: ProxyHost, pair: KeyPair | undefined): Manifest[] {
  const endpoints = host.endpoints.map((endpoint) => {
    const [address = '', port] = endpoint.split(':');
    return { address, port: Number(port) };
  });
  const secretName = `${name}-tls`;
  const tls = pair === undefined ? {} : { tls: [{ hosts: [host.name], secretName }] };
  return [
    ingress({ name, host: host.name, paths: [{ service: name }], ...tls }),
    ...backendService({ name, endpoints }),
    ...(pair === undefined ? [] : [tlsSecret({ name: secretName, ...pair })]),
  ];
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
