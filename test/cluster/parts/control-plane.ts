import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterPlan } from '../cluster-plan.ts';
import type { DaemonSpec } from '../machine/daemon.ts';
import type { Credentials } from './credentials.ts';

/** Where the executables are that the cluster consists of. */
export interface ServerFolders {
  readonly kubernetes: string;
  readonly etcd: string;
}

/** Requests of people and of programs under test, without their bodies; not those of Kubernetes' own parts. */
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    {
      level: 'None',
      users: ['system:kube-controller-manager', 'system:kube-scheduler', 'system:kube-proxy', 'system:apiserver'],
    },
    { level: 'None', userGroups: ['system:nodes', 'system:serviceaccounts:kube-system'] },
    { level: 'None', nonResourceURLs: ['/healthz*', '/readyz*', '/livez*', '/version', '/openapi*'] },
    { level: 'Metadata' },
  ],
};

/** Controllers that need what isn't here: a cloud, or ranges that Kubernetes gives out itself. */
const CONTROLLERS =
  '*,-node-ipam-controller,-cloud-node-lifecycle-controller,-service-lb-controller,-node-route-controller';

/** The daemons of the control plane, in the order in which they start. */
export function controlPlaneDaemons(
  plan: ClusterPlan,
  built: ServerFolders,
  credentials: Credentials,
): { readonly etcd: DaemonSpec; readonly apiServer: DaemonSpec; readonly others: readonly DaemonSpec[] } {
  const { directory } = plan.controlPlane;
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, 'audit-policy.json'), JSON.stringify(AUDIT_POLICY));
  const daemon = (name: string, executable: string, flags: Readonly<Record<string, string>>): DaemonSpec => ({
    name,
    command: [executable, ...Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`)],
    log: join(directory, `${name}.log`),
  });
  return {
    etcd: daemon('etcd', join(built.etcd, 'etcd'), etcdFlags(directory)),
    apiServer: daemon('kube-apiserver', join(built.kubernetes, 'kube-apiserver'), apiServerFlags(plan, credentials)),
    others: [
      daemon('kube-controller-manager', join(built.kubernetes, 'kube-controller-manager'), {
        kubeconfig: credentials.kubeconfigs.controllerManager,
        controllers: CONTROLLERS,
        'root-ca-file': credentials.authority,
        'service-account-private-key-file': credentials.serviceAccountKey,
        'use-service-account-credentials': 'true',
        'leader-elect': 'false',
        'bind-address': '127.0.0.1',
        // The defaults are for a cluster that others use as well; tests wait for this one.
        'kube-api-qps': '200',
        'kube-api-burst': '400',
      }),
      daemon('kube-scheduler', join(built.kubernetes, 'kube-scheduler'), {
        kubeconfig: credentials.kubeconfigs.scheduler,
        'leader-elect': 'false',
        'bind-address': '127.0.0.1',
        'kube-api-qps': '200',
        'kube-api-burst': '400',
      }),
    ],
  };
}

function etcdFlags(directory: string): Record<string, string> {
  return {
    'data-dir': join(directory, 'etcd'),
    'listen-client-urls': 'http://127.0.0.1:2379',
    'advertise-client-urls': 'http://127.0.0.1:2379',
    'listen-peer-urls': 'http://127.0.0.1:2380',
    // Nothing is to survive the machine's end, so nothing need be on the disk at once.
    'unsafe-no-fsync': 'true',
    'quota-backend-bytes': String(4 * 1024 ** 3),
    'log-level': 'warn',
  };
}

function apiServerFlags(plan: ClusterPlan, credentials: Credentials): Record<string, string> {
  const { directory } = plan.controlPlane;
  return {
    'etcd-servers': 'http://127.0.0.1:2379',
    'secure-port': '6443',
    'bind-address': '0.0.0.0',
    'advertise-address': plan.controlPlane.address,
    'cert-dir': join(directory, 'certificates'),
    'tls-cert-file': credentials.serverCertificate,
    'tls-private-key-file': credentials.serverKey,
    'client-ca-file': credentials.authority,
    'token-auth-file': credentials.tokens,
    'kubelet-client-certificate': credentials.kubeletClientCertificate,
    'kubelet-client-key': credentials.kubeletClientKey,
    // Names of nodes are in no DNS.
    'kubelet-preferred-address-types': 'InternalIP',
    'service-account-issuer': 'https://kubernetes.default.svc.cluster.local',
    'service-account-key-file': credentials.serviceAccountPublicKey,
    'service-account-signing-key-file': credentials.serviceAccountKey,
    'authorization-mode': 'Node,RBAC',
    'enable-admission-plugins': 'NodeRestriction',
    'service-cluster-ip-range': plan.serviceRange,
    'allow-privileged': 'true',
    'audit-policy-file': join(directory, 'audit-policy.json'),
    'audit-log-path': plan.auditLog,
    'audit-log-maxsize': '200',
    'audit-log-maxbackup': '2',
  };
}
