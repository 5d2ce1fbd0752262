/** Something the cluster needs is missing or did not work. The message says what, where and what to do. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';
}
