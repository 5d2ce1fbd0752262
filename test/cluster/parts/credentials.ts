import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from 'selfsigned';
import { makeAuthority } from '../../support/certificates.ts';
import type { ClusterPlan } from '../cluster-plan.ts';

/** Who may speak to the API server, by token: name in the tokens file, then groups. Roles come with Kubernetes. */
const IDENTITIES = {
  admin: ['weir-test-admin', 'system:masters'],
  controllerManager: ['system:kube-controller-manager'],
  scheduler: ['system:kube-scheduler'],
  kubeProxy: ['system:kube-proxy'],
} as const;

/** Paths of everything secret and of the kubeconfig files. */
export interface Credentials {
  readonly authority: string;
  readonly serverCertificate: string;
  readonly serverKey: string;
  /** The API server's own certificate as a client of the kubelets. */
  readonly kubeletClientCertificate: string;
  readonly kubeletClientKey: string;
  readonly serviceAccountKey: string;
  readonly serviceAccountPublicKey: string;
  readonly tokens: string;
  readonly kubeconfigs: Readonly<Record<keyof typeof IDENTITIES, string>>;
  /** By the node's name. */
  readonly nodeKubeconfigs: Readonly<Record<string, string>>;
}

export async function makeCredentials(plan: ClusterPlan): Promise<Credentials> {
  const directory = join(plan.controlPlane.directory, 'pki');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const put = (name: string, content: string) => {
    writeFileSync(join(directory, name), content, { mode: 0o600 });
    return join(directory, name);
  };
  const authority = await makeAuthority('weir test cluster');
  const server = await authority.issue(serverNames(plan), { commonName: 'kube-apiserver' });
  const issueClient = (name: string, group: string) => clientCertificate(authority, name, group);
  const kubeletClient = await issueClient('kube-apiserver-kubelet-client', 'system:masters');
  const admin = await issueClient('weir-test-admin', 'system:masters');
  const accounts = generateKeyPairSync('rsa', { modulusLength: 2048 });

  const lines: string[] = [];
  const issueToken = (user: string, groups: readonly string[]) => {
    const token = randomBytes(24).toString('base64url');
    lines.push(`${token},${user},${createHash('sha256').update(user).digest('hex').slice(0, 8)},"${groups.join(',')}"`);
    return token;
  };
  const url = `https://${plan.controlPlane.address}:6443`;
  const kubeconfig = (user: object) => kubeconfigOf(plan.name, url, authority.certificate, user);
  const byToken = (file: string, user: string, groups: readonly string[] = []) =>
    put(file, kubeconfig({ token: issueToken(user, groups) }));
  const byName = (key: keyof typeof IDENTITIES) => {
    const [user, ...groups] = IDENTITIES[key];
    return byToken(`${user.replace('system:', '')}.kubeconfig`, user, groups);
  };

  const kubeconfigs = {
    admin: byName('admin'),
    controllerManager: byName('controllerManager'),
    scheduler: byName('scheduler'),
    kubeProxy: byName('kubeProxy'),
  };
  const nodeKubeconfigs = Object.fromEntries(
    plan.nodes.map(({ name }) => [name, byToken(`${name}.kubeconfig`, `system:node:${name}`, ['system:nodes'])]),
  );
  const forPeople = { 'client-certificate-data': base64(admin.certificate), 'client-key-data': base64(admin.key) };
  writeFileSync(plan.kubeconfig, kubeconfig(forPeople), { mode: 0o600 });
  return {
    authority: put('ca.crt', authority.certificate),
    serverCertificate: put('apiserver.crt', server.certificate),
    serverKey: put('apiserver.key', server.key),
    kubeletClientCertificate: put('kubelet-client.crt', kubeletClient.certificate),
    kubeletClientKey: put('kubelet-client.key', kubeletClient.key),
    serviceAccountKey: put('service-accounts.key', pem(accounts.privateKey.export({ type: 'pkcs8', format: 'pem' }))),
    serviceAccountPublicKey: put(
      'service-accounts.pub',
      pem(accounts.publicKey.export({ type: 'spki', format: 'pem' })),
    ),
    tokens: put('tokens.csv', `${lines.join('\n')}\n`),
    kubeconfigs,
    nodeKubeconfigs,
  };
}

function serverNames(plan: ClusterPlan): string[] {
  const service = [
    'kubernetes',
    'kubernetes.default',
    'kubernetes.default.svc',
    'kubernetes.default.svc.cluster.local',
  ];
  return [...service, 'localhost', plan.controlPlane.address, plan.apiServerService, '127.0.0.1'];
}

/** Kubernetes reads the user from the common name and the groups from the organisation. */
async function clientCertificate(
  authority: { readonly certificate: string; readonly key: string },
  name: string,
  group: string,
): Promise<{ readonly certificate: string; readonly key: string }> {
  const made = await generate(
    [
      { name: 'commonName', value: name },
      { name: 'organizationName', value: group },
    ],
    {
      keyType: 'ec',
      algorithm: 'sha256',
      ca: { key: authority.key, cert: authority.certificate },
      extensions: [
        { name: 'basicConstraints', cA: false },
        { name: 'keyUsage', digitalSignature: true },
        { name: 'extKeyUsage', clientAuth: true },
      ],
    },
  );
  return { certificate: made.cert, key: made.private };
}

/** JSON is YAML too. */
function kubeconfigOf(cluster: string, server: string, authority: string, user: object): string {
  return `${JSON.stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: cluster, cluster: { server, 'certificate-authority-data': base64(authority) } }],
      users: [{ name: cluster, user }],
      contexts: [{ name: cluster, context: { cluster, user: cluster, namespace: 'default' } }],
      'current-context': cluster,
    },
    null,
    2,
  )}\n`;
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}

function pem(exported: string | Buffer): string {
  return exported.toString();
}
