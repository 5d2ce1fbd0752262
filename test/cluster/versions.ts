/** What the test cluster is made of. A change here is a change in go/…/go.mod too: tests of the build compare them. */
export const VERSIONS = {
  go: '1.26.8',
  kubernetes: '1.36.3',
  etcd: '3.6.5',
  helm: '4.3.2',
  coredns: '1.15.0',
} as const;
