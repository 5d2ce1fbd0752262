import { VERSIONS } from '../versions.ts';

/** Programs that are built together from one Go module, in a folder of ../go. */
export interface ProgramGroup {
  readonly module: string;
  /** What the first build of it takes on two cores, for the one who waits. */
  readonly takes: string;
  readonly executables: readonly {
    readonly file: string;
    readonly package: string;
    /** Other names of the same file; what it does depends on the one it is called by. */
    readonly names?: readonly string[];
  }[];
  /** Values that the linker sets. */
  readonly set?: Readonly<Record<string, string>>;
}

const [major = '', minor = ''] = VERSIONS.kubernetes.split('.');

export const PROGRAMS = {
  kubernetes: {
    module: 'kubernetes',
    takes: 'about 10 minutes',
    executables: [
      {
        file: 'control-plane',
        package: './control-plane',
        names: ['kube-apiserver', 'kube-controller-manager', 'kubectl'],
      },
      { file: 'node', package: './node', names: ['kubelet', 'kube-proxy', 'kube-scheduler'] },
    ],
    // kubectl compares versions and reads its own from here.
    set: {
      'k8s.io/component-base/version.gitVersion': `v${VERSIONS.kubernetes}`,
      'k8s.io/component-base/version.gitMajor': major,
      'k8s.io/component-base/version.gitMinor': minor,
    },
  },
  etcd: {
    module: 'etcd',
    takes: 'about 2 minutes',
    executables: [{ file: 'etcd', package: 'go.etcd.io/etcd/server/v3' }],
  },
  helm: {
    module: 'helm',
    takes: 'about 3 minutes',
    executables: [{ file: 'helm', package: 'helm.sh/helm/v4/cmd/helm' }],
    set: { 'helm.sh/helm/v4/internal/version.version': `v${VERSIONS.helm}` },
  },
  coredns: {
    module: 'coredns',
    takes: 'about 2 minutes',
    executables: [{ file: 'coredns', package: '.' }],
  },
  images: {
    module: 'images',
    takes: 'some seconds',
    executables: [
      { file: 'echo', package: './echo' },
      { file: 'pause', package: './pause' },
    ],
  },
} as const satisfies Record<string, ProgramGroup>;
