import { createServer } from 'node:net';

export interface DemoPorts {
  readonly http: number;
  readonly https: number;
  readonly admin: number;
}

const WANTED: DemoPorts = { http: 8080, https: 8443, admin: 9180 };

/** The usual ports where they are free, others where they aren't. `anyPorts`: others in any case. */
export async function chooseDemoPorts(anyPorts: boolean): Promise<DemoPorts> {
  const http = await choose(WANTED.http, '0.0.0.0', anyPorts);
  const https = await choose(WANTED.https, '0.0.0.0', anyPorts);
  const admin = await choose(WANTED.admin, '127.0.0.1', anyPorts);
  return { http, https, admin };
}

/** `80 is in use; using 40123 instead`: what to tell about ports that were taken. */
export function portRemarks(ports: DemoPorts): string[] {
  return (Object.keys(WANTED) as (keyof DemoPorts)[])
    .filter((name) => ports[name] !== WANTED[name])
    .map((name) => `port ${WANTED[name]} (${name}) is in use; using ${ports[name]} instead`);
}

async function choose(wanted: number, address: string, anyPort: boolean): Promise<number> {
  const port = anyPort ? undefined : await tryPort(wanted, address);
  return port ?? (await tryPort(0, address)) ?? wanted;
}

/** A port that nobody listens on just now. */
export async function freeDemoPort(): Promise<number> {
  return choose(0, '127.0.0.1', true);
}

/** The port, if one can listen on it. 0: one that the kernel chooses. */
function tryPort(port: number, address: string): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen(port, address, () => {
      const bound = server.address();
      const number = typeof bound === 'object' && bound !== null ? bound.port : undefined;
      server.close(() => resolve(number));
    });
  });
}
