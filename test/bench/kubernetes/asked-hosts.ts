import { Agent } from 'node:http';
import { request } from '../../support/clients/http-client.ts';

/** Where requests go. */
export interface HttpEntry {
  readonly address: string;
  readonly port: number;
}

const PATIENCE_MS = 180_000;

/** Asks for a host every few milliseconds until it answers with this body. */
export async function untilAnswered(
  entry: HttpEntry,
  host: string,
  body: string,
  everyMs = 1,
  agent?: Agent,
): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const reply = await ask(entry, host, agent);
    if (reply.status === 200 && reply.body === body) return;
    if (performance.now() > deadline)
      throw new Error(`${host} still answers ${reply.status} ${reply.body.slice(0, 200)}`);
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

/** Asks for each in turn until all have answered. */
export async function untilAllAnswered(entry: HttpEntry, hosts: readonly string[], body: string): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  for (const host of hosts) await untilAnswered(entry, host, body, 5, agent);
  agent.destroy();
}

async function ask(entry: HttpEntry, host: string, agent?: Agent): Promise<{ status: number; body: string }> {
  try {
    return await request({ ...entry, host, ...(agent === undefined ? {} : { agent }) });
  } catch {
    return { status: 0, body: '' };
  }
}
