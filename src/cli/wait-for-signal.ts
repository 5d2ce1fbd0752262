export interface Signals {
  readonly first: Promise<NodeJS.Signals>;
  readonly second: Promise<NodeJS.Signals>;
}

/** The first and the second request to stop (SIGTERM, SIGINT, or SIGHUP: the terminal was closed) that this process gets from now on. */
export function waitForSignal(): Signals {
  const requests = [Promise.withResolvers<NodeJS.Signals>(), Promise.withResolvers<NodeJS.Signals>()] as const;
  let received = 0;
  const receive = (signal: NodeJS.Signals) => requests[received++]?.resolve(signal);
  process.on('SIGTERM', receive);
  process.on('SIGINT', receive);
  process.on('SIGHUP', receive);
  return { first: requests[0].promise, second: requests[1].promise };
}
