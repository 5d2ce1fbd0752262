import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, get as httpGet, type Server } from 'node:http';
import { get as httpsGet } from 'node:https';
import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { NginxDriver } from '../../src/drivers/nginx/nginx-driver.ts';
import type { NginxDriverOptions, NginxEvent } from '../../src/drivers/nginx/nginx-options.ts';
import { buildDataplane } from '../../tools/build-dataplane.ts';

/** A state directory of a test, with every nginx that was started in it ended afterwards. */
export interface NginxHarness {
  readonly directory: string;
  readonly events: NginxEvent[];
  driver(more?: Partial<NginxDriverOptions>): NginxDriver;
}

/** `nginx`: which one; the one of WEIR_NGINX, else of this machine, unless given. */
export function nginxHarness(t: TestContext, nginx = process.env['WEIR_NGINX']): NginxHarness {
  const directory = mkdtempSync(join(tmpdir(), 'weir-nginx-'));
  const events: NginxEvent[] = [];
  const made: NginxDriver[] = [];
  const driver = (more: Partial<NginxDriverOptions> = {}): NginxDriver => {
    const one = new NginxDriver({
      stateDirectory: directory,
      dataplane: buildDataplane,
      ...(nginx === undefined ? {} : { nginx }),
      workers: 2,
      drainTimeout: 3000,
      onEvent: (event) => events.push(event),
      ...more,
    });
    made.push(one);
    return one;
  };
  t.after(async () => {
    // One that still watches would bring nginx back when it ends.
    for (const one of made) await one.stop('leave').catch(() => undefined);
    const last = driver();
    await last.start().catch(() => undefined);
    await last.stop('drain');
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, events, driver };
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createTcpServer();
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}

export interface Answer {
  readonly status: number;
  readonly body: string;
}

/** One request on a connection of its own. */
export function request(port: number, host: string, path = '/', secure = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, agent: false, headers: { host }, timeout: 5000 };
    const secureOptions = { ...options, rejectUnauthorized: false, servername: host };
    const call = (secure ? httpsGet : httpGet)(secure ? secureOptions : options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      response.on('error', reject);
    });
    call.on('error', reject);
    call.on('timeout', () => call.destroy(new Error('no answer within 5 s')));
  });
}

/**
 * Requests one after another, until told to end, while workers without a master give way to those of another nginx: what
 * waits in the queue of a listener that closes is reset by the kernel, which is counted apart.
 */
export async function visit(
  port: number,
  host: string,
  ended: () => boolean,
): Promise<{ readonly statuses: readonly number[]; readonly resets: number }> {
  const statuses = new Set<number>();
  let resets = 0;
  for (const deadline = Date.now() + 20_000; !ended() && Date.now() < deadline; await delay(5)) {
    try {
      statuses.add((await request(port, host)).status);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) throw error;
      resets += 1;
    }
  }
  return { statuses: [...statuses], resets };
}

/** A backend that answers with its name. */
export async function echoBackend(t: TestContext, name: string): Promise<readonly [string, number]> {
  const server: Server = createServer((_, response) => response.end(name));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return ['127.0.0.1', (server.address() as AddressInfo).port];
}
