import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The part of a test context (`t`) that fixtures need: what to undo when the test ends. Undone in the order of registration. */
export interface Scope {
  after(undo: () => void | Promise<void>): void;
}

/**
 * Ports that are free at this moment on 127.0.0.1. All are held open until the last is known, so they differ.
 * Somebody else may take one before it is used; that is rare, since the kernel gives ephemeral ports in turn.
 */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer();
      await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
      return server;
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  if (port === undefined) throw new Error('the kernel gave no port');
  return port;
}

/** A directory that nginx's workers (www-data) may pass through; removed when the test ends. */
export function temporaryDirectory(scope: Scope, name = 'test'): string {
  const directory = mkdtempSync(join(tmpdir(), `weir-${name}-`));
  chmodSync(directory, 0o755);
  scope.after(() => rmSync(directory, { recursive: true, force: true, maxRetries: 3 }));
  return directory;
}

/** Resolves with the first defined, not-false answer of `probe`, which is asked every `everyMs`; rejects when time is up. */
export async function eventually<T>(
  what: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  { withinMs = 10_000, everyMs = 20 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = Date.now() + withinMs;
  let last: unknown;
  for (;;) {
    try {
      const answer = await probe();
      if (answer !== undefined && answer !== false) return answer;
      last = answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > deadline) {
      const detail = last instanceof Error ? `: ${last.message}` : '';
      throw new Error(`waited ${withinMs} ms in vain for: ${what}${detail}`, { cause: last });
    }
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}
