import { get } from 'node:http';
import { startBackend } from '../../support/backends/echo-backend.ts';
import { backendService, ingress, type Manifest } from '../../support/manifests.ts';
import type { Scope } from '../../support/scope.ts';

const HOST = 'download.example';
const CHUNK = Buffer.alloc(1024, 'x');
const INTERVAL_MS = 200;

/** One answer that lasts until it is told to end. */
export interface SlowDownload {
  readonly manifests: readonly Manifest[];
  /** Resolves when its first bytes have come through nginx. */
  begin(httpPort: number): Promise<void>;
  /** Lets the backend end; resolves with what was sent and what came. Rejects when it was cut. */
  end(): Promise<{ readonly sent: number; readonly received: number }>;
}

export async function slowDownload(scope: Scope): Promise<SlowDownload> {
  const state = { ending: false, sent: 0, received: 0 };
  const backend = await startBackend(scope, {
    name: 'download',
    respond: (_request, response) => {
      const timer = setInterval(() => {
        state.sent += CHUNK.length;
        if (state.ending) response.end(CHUNK, () => clearInterval(timer));
        else response.write(CHUNK);
      }, INTERVAL_MS);
      response.on('close', () => clearInterval(timer));
    },
  });
  let whole: Promise<void> = Promise.reject(new Error('the download has not begun'));
  whole.catch(() => undefined);
  return {
    manifests: [
      ingress({ name: 'download', host: HOST, paths: [{ service: 'download' }] }),
      ...backendService({ name: 'download', endpoints: [backend] }),
    ],
    begin: (port) =>
      new Promise((begun, failed) => {
        whole = new Promise((resolve, reject) => {
          const call = get(
            { host: '127.0.0.1', port, path: '/', agent: false, headers: { host: HOST } },
            (response) => {
              response.on('data', (chunk: Buffer) => {
                state.received += chunk.length;
                begun();
              });
              response.on('end', resolve).on('error', reject);
            },
          );
          call.on('error', reject);
          scope.after(() => void call.destroy());
        });
        whole.catch(failed);
      }),
    async end() {
      state.ending = true;
      await whole;
      return { sent: state.sent, received: state.received };
    },
  };
}
