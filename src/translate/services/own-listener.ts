/** A TCP port that weir itself listens on: requests that were sent there would go in circles, or reach what is not public. */
export interface OwnListener {
  /** For people: `HTTP port`. */
  readonly name: string;
  readonly port: number;
  /** Addresses of this machine that reach it, in any spelling. Loopback addresses always count, and needn't be named. */
  readonly addresses: readonly string[];
}
