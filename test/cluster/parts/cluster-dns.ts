import type { ClusterPlan } from '../cluster-plan.ts';
import { IMAGES } from '../images/test-images.ts';

const NAME = 'coredns';
const NAMESPACE = 'kube-system';
/** Above 1023, since the image's user may not have a lower one. */
const PORT = 1053;

/** No `forward`: there is no DNS but the cluster's own. */
const COREFILE = `.:${PORT} {
  errors
  health :8080
  ready :8181
  kubernetes cluster.local in-addr.arpa {
    pods insecure
    ttl 5
  }
}
`;

/** CoreDNS, as the manifests to apply. */
export function clusterDns(plan: ClusterPlan): readonly object[] {
  const labels = { 'k8s-app': 'kube-dns' };
  const metadata = { name: NAME, namespace: NAMESPACE };
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'system:coredns' },
      rules: [
        { apiGroups: [''], resources: ['services', 'pods', 'namespaces'], verbs: ['list', 'watch'] },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'system:coredns' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'system:coredns' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { Corefile: COREFILE } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...metadata, labels },
      spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec: podSpec() } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: NAMESPACE, labels },
      spec: {
        clusterIP: plan.dnsService,
        selector: labels,
        ports: [
          { name: 'dns', port: 53, targetPort: PORT, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, targetPort: PORT, protocol: 'TCP' },
        ],
      },
    },
  ];
}

function podSpec(): object {
  return {
    serviceAccountName: NAME,
    priorityClassName: 'system-cluster-critical',
    tolerations: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
    containers: [
      {
        name: NAME,
        image: IMAGES.coredns,
        args: ['-conf', '/etc/coredns/Corefile'],
        ports: [{ containerPort: PORT, name: 'dns', protocol: 'UDP' }],
        readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 1 },
        volumeMounts: [{ name: 'configuration', mountPath: '/etc/coredns', readOnly: true }],
      },
    ],
    dnsPolicy: 'Default',
    volumes: [{ name: 'configuration', configMap: { name: NAME } }],
  };
}
