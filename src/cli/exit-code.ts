/** What the command's exit status means; the same for every verb. */
export const EXIT = {
  ok: 0,
  /** There are findings, or something isn't as it should be. */
  findings: 1,
  /** Wrong usage, or input that can't be read. */
  usage: 2,
  /** Cluster, load balancer or running weir not reachable. */
  unreachable: 3,
  /** A fault of weir itself (EX_SOFTWARE of sysexits.h): start it again, and report it. */
  fault: 70,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
