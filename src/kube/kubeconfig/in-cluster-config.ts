import { readFile } from 'node:fs/promises';
import { isIPv6 } from 'node:net';
import { join } from 'node:path';
import type { KubeConfig } from '../kube-config.ts';
import { KubeconfigError } from './kubeconfig-error.ts';

export const SERVICE_ACCOUNT_DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The configuration of a pod with a service account; undefined outside of one. Token and authority stay files, since the kubelet renews them. */
export async function inClusterConfig(
  environment: Readonly<Record<string, string | undefined>>,
  directory = SERVICE_ACCOUNT_DIRECTORY,
): Promise<KubeConfig | undefined> {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port } = environment;
  if (!host || !port) return undefined;
  const token = join(directory, 'token');
  try {
    await readFile(token, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new KubeconfigError(
      `${token}: can not be read: ${(error as Error).message}`,
      "Set fsGroup in the pod's securityContext, or run as a user who may read the token.",
      error,
    );
  }
  return {
    from: 'in-cluster',
    cluster: {
      server: `https://${isIPv6(host) ? `[${host}]` : host}:${port}`,
      authority: { file: join(directory, 'ca.crt') },
      insecure: false,
    },
    user: { token: { file: token } },
    namespace: await namespaceOf(join(directory, 'namespace')),
    warnings: [],
  };
}

async function namespaceOf(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trim() || 'default';
}
