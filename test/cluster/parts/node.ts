import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClusterPlan, NodePlan } from '../cluster-plan.ts';
import { IMAGES } from '../images/test-images.ts';
import type { DaemonSpec } from '../machine/daemon.ts';
import type { ServerFolders } from './control-plane.ts';
import type { Credentials } from './credentials.ts';

/** As the node sees it: /run is its own. */
export const CONTAINERD_SOCKET = '/run/containerd/containerd.sock';

/** Writes a node's configuration; its daemons. */
export function nodeDaemons(
  plan: ClusterPlan,
  node: NodePlan,
  built: ServerFolders,
  credentials: Credentials,
): { readonly containerd: DaemonSpec; readonly kubelet: DaemonSpec; readonly kubeProxy: DaemonSpec } {
  const directory = join(node.directory, 'configuration');
  mkdirSync(join(directory, 'cni'), { recursive: true });
  const put = (name: string, content: string | object) => {
    const text = typeof content === 'string' ? content : JSON.stringify(content, null, 2);
    writeFileSync(join(directory, name), text, { mode: 0o600 });
    return join(directory, name);
  };
  put('cni/10-pods.conflist', podNetwork(plan, node));
  put('resolv.conf', "# no name server: the machine's own is out of reach\n");
  const daemon = (name: string, command: readonly string[]): DaemonSpec => ({
    name: `${node.name} ${name}`,
    command,
    log: join(node.directory, `${name}.log`),
  });
  return {
    containerd: daemon('containerd', [
      'containerd',
      '--config',
      put('containerd.toml', containerdConfiguration(join(directory, 'cni'))),
    ]),
    kubelet: daemon('kubelet', [
      join(built.kubernetes, 'kubelet'),
      `--config=${put('kubelet.json', kubeletConfiguration(plan, node, credentials, join(directory, 'resolv.conf')))}`,
      `--kubeconfig=${credentials.nodeKubeconfigs[node.name]}`,
      `--hostname-override=${node.name}`,
      `--node-ip=${node.address}`,
    ]),
    kubeProxy: daemon('kube-proxy', [
      join(built.kubernetes, 'kube-proxy'),
      `--config=${put('kube-proxy.json', proxyConfiguration(plan, credentials))}`,
      `--hostname-override=${node.name}`,
    ]),
  };
}

/** A cable to each pod and no bridge: then all that pods of one node say to each other passes kube-proxy's rules. */
function podNetwork(plan: ClusterPlan, node: NodePlan): object {
  return {
    cniVersion: '0.4.0',
    name: `${plan.name}-${node.name}`,
    plugins: [
      {
        type: 'ptp',
        ipMasq: false,
        ipam: { type: 'host-local', ranges: [[{ subnet: node.podRange }]], routes: [{ dst: '0.0.0.0/0' }] },
      },
      { type: 'portmap', capabilities: { portMappings: true } },
    ],
  };
}

function containerdConfiguration(cni: string): string {
  return `version = 2
root = "/var/lib/containerd"
state = "/run/containerd"
disabled_plugins = ["io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.devmapper", "io.containerd.snapshotter.v1.zfs"]

[grpc]
  address = "${CONTAINERD_SOCKET}"

[plugins."io.containerd.grpc.v1.cri"]
  sandbox_image = "${IMAGES.pause}"
  # Lowering a process's oom_score_adj needs a capability that root lacks on some machines.
  restrict_oom_score_adj = true
  enable_unprivileged_ports = false

  [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
    runtime_type = "io.containerd.runc.v2"
    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
      SystemdCgroup = false

  [plugins."io.containerd.grpc.v1.cri".cni]
    bin_dir = "/usr/lib/cni"
    conf_dir = ${JSON.stringify(cni)}
`;
}

function kubeletConfiguration(plan: ClusterPlan, node: NodePlan, credentials: Credentials, resolvConf: string): object {
  return {
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    containerRuntimeEndpoint: `unix://${CONTAINERD_SOCKET}`,
    address: node.address,
    authentication: {
      anonymous: { enabled: false },
      webhook: { enabled: true },
      x509: { clientCAFile: credentials.authority },
    },
    authorization: { mode: 'Webhook' },
    clusterDomain: 'cluster.local',
    clusterDNS: [plan.dnsService],
    resolvConf,
    cgroupDriver: 'cgroupfs',
    cgroupRoot: `/${node.cgroup}`,
    failCgroupV1: false,
    enforceNodeAllocatable: [],
    localStorageCapacityIsolation: false,
    failSwapOn: false,
    // The disk is the machine's, and its owner's to look after.
    evictionHard: {
      'memory.available': '1Mi',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
      'imagefs.available': '0%',
    },
    imageGCHighThresholdPercent: 100,
    imageGCLowThresholdPercent: 99,
    serializeImagePulls: false,
    nodeStatusUpdateFrequency: '5s',
    kubeAPIQPS: 100,
    kubeAPIBurst: 200,
    registerNode: true,
  };
}

function proxyConfiguration(plan: ClusterPlan, credentials: Credentials): object {
  return {
    apiVersion: 'kubeproxy.config.k8s.io/v1alpha1',
    kind: 'KubeProxyConfiguration',
    clientConnection: { kubeconfig: credentials.kubeconfigs.kubeProxy },
    mode: 'iptables',
    clusterCIDR: plan.podRange,
    // These limits are the machine's, not a namespace's.
    conntrack: { maxPerCore: 0, min: 0 },
  };
}
