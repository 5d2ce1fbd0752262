import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { AdminApp } from './admin-app.ts';

/** In the state directory. */
export const ADMIN_SOCKET = 'admin.sock';

/**
 * The admin API on a unix socket that only weir's own account may open: for what runs beside it (probes, preStop) and must not
 * reach another weir, as it would by a port of the host's network. Who can open it could read the token as well, so none
 * is asked for.
 */
export class AdminSocket {
  readonly #taken = new WeakSet<Socket>();
  #server: Server | undefined;

  /** Whether a connection came by this socket. */
  took(connection: Socket): boolean {
    return this.#taken.has(connection);
  }

  /** The directory must be held by this process. Undefined, or why it can't listen there (a path of more than 107 bytes, say). */
  async listen(directory: string, app: AdminApp): Promise<Error | undefined> {
    const path = join(directory, ADMIN_SOCKET);
    const server = createServer(app.routing);
    server.on('connection', (connection) => this.#taken.add(connection));
    try {
      rmSync(path, { force: true });
      await listenPrivately(server, path);
      chmodSync(path, 0o600);
      this.#server = server;
      return undefined;
    } catch (error) {
      server.close();
      return error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Answers what is under way; other connections end. */
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    if (server === undefined) return;
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeIdleConnections();
    await closed;
  }
}

/** The socket is made while `listen` is called, and nobody else must be able to open it even then. */
async function listenPrivately(server: Server, path: string): Promise<void> {
  const listening = new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject));
  const mask = process.umask(0o177);
  try {
    server.listen(path);
  } finally {
    process.umask(mask);
  }
  await listening;
}
