/** A line of the error log that must not come with every request: at most one in ten seconds from each worker. */
export interface RareLine {
  untold: number;
  quietUntil: number;
}

const QUIET_SECONDS = 10;

export function createRareLine(): RareLine {
  return { untold: 0, quietUntil: 0 };
}

/** To be called each time there is something to tell: how often there was since the last line; undefined: not yet. */
export function timesToTell(line: RareLine): number | undefined {
  line.untold += 1;
  const now = ngx.now();
  if (now < line.quietUntil) {
    return undefined;
  }
  line.quietUntil = now + QUIET_SECONDS;
  const times = line.untold;
  line.untold = 0;
  return times;
}
