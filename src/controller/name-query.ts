import { ADDRCONFIG, NODATA, NOTFOUND } from 'node:dns';
import { lookup, Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';

/** What became of one question. `gone`: DNS says that there is no such name. `failed`: nobody could say. */
export type NameResult =
  | { readonly outcome: 'found'; readonly addresses: readonly string[]; readonly ttlSeconds: number }
  | { readonly outcome: 'gone'; readonly error: string }
  | { readonly outcome: 'failed'; readonly error: string };

export type NameQuery = (name: string) => Promise<NameResult>;

/** For names that the machine knows itself (/etc/hosts, search domains), where nothing tells how long it stays true. */
const LOCAL_TTL = 30;

/** Asks these servers (`10.96.0.10`, `[2001:db8::53]:5353`); the machine's own where none are given. */
export function dnsResolver(servers: readonly string[] = []): Resolver {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  if (servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/**
 * Asks DNS for the addresses of a name, IPv4 and IPv6, with their time to live. What DNS doesn't know is asked of the
 * machine, whose /etc/hosts and search domains may. An address stands for itself.
 */
export function dnsQuery(resolver: Pick<Resolver, 'resolve4' | 'resolve6'> = dnsResolver()): NameQuery {
  return async (name) => {
    if (isIP(name) !== 0) return { outcome: 'found', addresses: [name], ttlSeconds: Number.POSITIVE_INFINITY };
    if (!name.includes('.')) return askMachine(name);
    const answers = await Promise.allSettled([
      resolver.resolve4(name, { ttl: true }),
      resolver.resolve6(name, { ttl: true }),
    ]);
    const records = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (records.length > 0) {
      return {
        outcome: 'found',
        addresses: sortedUnique(records.map((record) => record.address)),
        ttlSeconds: Math.min(...records.map((record) => record.ttl)),
      };
    }
    const codes = answers.map((answer) => (answer.status === 'rejected' ? codeOf(answer.reason) : NODATA));
    const local = await askMachine(name);
    if (local.outcome === 'found') return local;
    const unsure = codes.find((code) => code !== NOTFOUND && code !== NODATA);
    return unsure === undefined ? { outcome: 'gone', error: codes[0]! } : { outcome: 'failed', error: unsure };
  };
}

async function askMachine(name: string): Promise<NameResult> {
  try {
    const found = await lookup(name, { all: true, hints: name === 'localhost' ? 0 : ADDRCONFIG });
    return { outcome: 'found', addresses: sortedUnique(found.map(({ address }) => address)), ttlSeconds: LOCAL_TTL };
  } catch (error) {
    const code = codeOf(error);
    return code === NOTFOUND ? { outcome: 'gone', error: code } : { outcome: 'failed', error: code };
  }
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error);
}

function sortedUnique(addresses: readonly string[]): string[] {
  return [...new Set(addresses)].sort();
}
