import type { KubeCluster } from '../kube-config.ts';
import { isMapping, type KubeconfigEntry } from './kubeconfig-entry.ts';

const EXEC_EXTENSION = 'client.authentication.k8s.io/exec';

export function readCluster(entry: KubeconfigEntry): {
  readonly cluster: KubeCluster;
  readonly warnings: readonly string[];
} {
  const given = entry.text('server');
  if (given === undefined) {
    throw entry.problem('server', 'is missing', 'Write the URL of the API server there, as https://HOST:6443.');
  }
  const server = URL.canParse(given) ? new URL(given) : undefined;
  if (server === undefined || (server.protocol !== 'https:' && server.protocol !== 'http:')) {
    throw entry.problem('server', `"${given}" is no URL`, 'Write it as https://HOST:6443.');
  }
  if (entry.has('proxy-url')) {
    throw entry.problem(
      'proxy-url',
      'is not supported: weir speaks to the API server directly',
      'Use a cluster entry without it, and let weir reach the server by a route or a tunnel.',
    );
  }
  const insecure = entry.flag('insecure-skip-tls-verify');
  const authority = entry.material('certificate-authority');
  if (insecure && authority !== undefined) {
    throw entry.problem(
      'insecure-skip-tls-verify',
      'contradicts certificate-authority',
      'Take insecure-skip-tls-verify out.',
    );
  }
  const serverName = entry.text('tls-server-name');
  const execConfig = extensionOf(entry);
  const warnings: string[] = [];
  if (insecure) {
    warnings.push(
      `${entry.file}: ${entry.place}.insecure-skip-tls-verify: the API server's certificate is not checked, so somebody between could read and change everything. Give certificate-authority-data instead.`,
    );
  }
  if (server.protocol === 'http:') {
    warnings.push(
      `${entry.file}: ${entry.place}.server: http:// sends credentials and Secrets in the clear. Use https://.`,
    );
  }
  return {
    cluster: {
      server: `${server.origin}${server.pathname.replace(/\/+$/, '')}`,
      insecure,
      ...(authority === undefined ? {} : { authority }),
      ...(serverName === undefined ? {} : { serverName }),
      ...(execConfig === undefined ? {} : { execConfig }),
    },
    warnings,
  };
}

function extensionOf(entry: KubeconfigEntry): unknown {
  const found = entry.list('extensions').find((item) => isMapping(item) && item.name === EXEC_EXTENSION);
  return isMapping(found) ? found.extension : undefined;
}
