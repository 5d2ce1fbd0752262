export interface Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly second: Promise<NodeJS.Signals>;
  readonly third: Promise<NodeJS.Signals>;
}

/** The first three requests to stop (SIGTERM, SIGINT, or SIGHUP: the terminal was closed) that this process gets from now on. */
export function waitForSignal(): Signals {
  const [first, second, third] = Array.from({ length: 3 }, () => Promise.withResolvers<NodeJS.Signals>());
  const requests = [first!, second!, third!] as const;
  let received = 0;
  const receive = (signal: NodeJS.Signals) => requests[received++]?.resolve(signal);
  process.on('SIGTERM', receive);
  process.on('SIGINT', receive);
  process.on('SIGHUP', receive);
  return { first: requests[0].promise, second: requests[1].promise, third: requests[2].promise };
}
