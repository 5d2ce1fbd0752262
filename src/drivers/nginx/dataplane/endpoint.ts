/** One address of a backend, with what this worker knows of it. Lives on when the backend's record changes. */
export interface Endpoint {
  /** As nginx wants it: IPv6 in brackets. */
  readonly address: string;
  readonly port: number;
  /** `address:port`. */
  readonly key: string;
  weight: number;
  draining: boolean;
  /** 32 bits that place it for consistent hashing. */
  readonly seed: number;
  /** What a session cookie holds for it. */
  session: string | undefined;
  /** Failures since the last success. */
  failures: number;
  /** Seconds since the epoch until which it is passed over. */
  ejectedUntil: number;
  /** Requests of this worker that it is serving. */
  active: number;
  /** Moving average of response times in seconds, and when it was last fed. */
  ewma: number;
  ewmaAt: number;
  /** Standing of smooth weighted round robin. */
  standing: number;
}

/**
 * Addresses are numbers and nothing else, so that no record can name a socket file or make nginx resolve a name.
 * Gives undefined for anything else.
 */
export function parseAddress(address: string): string | undefined {
  const [a, b, c, d] = string.match(address, '^(%d+)%.(%d+)%.(%d+)%.(%d+)$');
  if (a !== undefined) {
    const inRange = tonumber(a)! < 256 && tonumber(b)! < 256 && tonumber(c)! < 256 && tonumber(d)! < 256;
    return inRange ? address : undefined;
  }
  const [six] = string.match(address, '^[%x:]*:[%x:.]*$');
  return six === undefined ? undefined : '[' + address + ']';
}

export function createEndpoint(address: string, port: number): Endpoint {
  const parsed = parseAddress(address);
  if (parsed === undefined) {
    error('an endpoint is not an IP address', 0);
  }
  if (typeof port !== 'number' || port < 1 || port > 65535 || port !== math.floor(port)) {
    error('an endpoint has no port between 1 and 65535', 0);
  }
  const key = parsed + ':' + string.format('%d', port);
  return {
    address: parsed,
    port,
    key,
    weight: 1,
    draining: false,
    seed: ngx.crc32_long(key),
    session: undefined,
    failures: 0,
    ejectedUntil: 0,
    active: 0,
    ewma: 0,
    ewmaAt: 0,
    standing: 0,
  };
}
