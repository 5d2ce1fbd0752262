import type { Logger } from 'pino';
import { type AdminApp, type AdminContext, buildAdminApp } from '../admin/admin-app.ts';
import type { Settings } from '../config/settings.ts';
import { AdminSocket } from '../admin/admin-socket.ts';
import { readToken } from './admin-client.ts';
import { UsageError } from './usage-error.ts';

export interface ListeningAdmin {
  readonly app: AdminApp;
  readonly url: string;
  /** The addresses that it was bound to. */
  readonly bound: readonly { readonly address: string; readonly port: number }[];
  close(): Promise<void>;
}

/** Starts the admin server where the settings say, and on a socket in the state directory. Rejects with a UsageError where it can't listen there. */
export async function listenAdmin(
  context: Omit<AdminContext, 'onFault'>,
  settings: Settings,
  stateDirectory: string,
  log: Logger,
): Promise<ListeningAdmin> {
  const address = settings['admin-address'];
  const token = settings['admin-token-file'] === undefined ? undefined : await readToken(settings['admin-token-file']);
  const { hostname, port } = new URL(`http://${address}`);
  const host = hostname.replace(/^\[|\]$/g, '');
  const onFault = (error: Error, url: string) =>
    log.error({ url, stack: error.stack }, `the admin API failed: ${error.message}`);
  const socket = new AdminSocket();
  const app = await buildAdminApp({ ...context, onFault }, { token, host, isOwn: (from) => socket.took(from) });
  // fastify hands on what it doesn't know.
  const place = { host, port: Number(port || 80), reusePort: settings['share-ports'] };
  try {
    const url = await app.listen(place);
    const problem = await socket.listen(stateDirectory, app);
    if (problem !== undefined) log.warn(`the admin API has no socket in the state directory: ${problem.message}`);
    const close = async () => {
      await socket.close();
      await app.close();
    };
    return { app, url, close, bound: app.addresses().filter((each) => typeof each !== 'string') };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new UsageError(
      `admin-address ${address} can't be listened on (${code}).`,
      'Give another with --admin-address.',
    );
  }
}
