import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';

export interface EditMeasured {
  /** Milliseconds from the rename of the edited file to the first answer that follows it. */
  readonly changedAfterMs: number;
  readonly restoredAfterMs: number;
}

const PATIENCE_MS = 10_000;

/**
 * Edits blog.yaml as an editor does (write beside, rename over), so that /rss is served in place of /feed, asks until the
 * answer follows, and puts the file back. Rejects when the answer doesn't change.
 */
export async function measureEdit(manifests: string, httpPort: number): Promise<EditMeasured> {
  const file = join(manifests, 'blog.yaml');
  const original = readFileSync(file, 'utf8');
  const edited = original.replace('path: /feed', 'path: /rss');
  if (edited === original) throw new Error(`${file} has no path /feed to edit; was it changed before?`);
  try {
    replace(file, edited);
    const changedAfterMs = await until(httpPort, '/rss', 'feed');
    replace(file, original);
    const restoredAfterMs = await until(httpPort, '/rss', 'blog');
    return { changedAfterMs, restoredAfterMs };
  } finally {
    if (readFileSync(file, 'utf8') !== original) replace(file, original);
  }
}

function replace(file: string, text: string): void {
  const beside = `${file}.new~`;
  writeFileSync(beside, text);
  renameSync(beside, file);
}

/** Milliseconds until blog.example answers `path` by this service. */
async function until(port: number, path: string, service: string): Promise<number> {
  const start = performance.now();
  let seen = '';
  while (performance.now() - start < PATIENCE_MS) {
    seen = await serviceAt(port, path);
    if (seen === service) return Math.round(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  throw new Error(
    `${path} is still answered by "${seen}" ${PATIENCE_MS / 1000} s after the edit; expected "${service}"`,
  );
}

function serviceAt(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port, path, headers: { Host: 'blog.example' }, agent: false },
      (response) => {
        let body = '';
        response.setEncoding('utf8').on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve(/"service":"([^"]*)"/.exec(body)?.[1] ?? `status ${response.statusCode}`));
      },
    );
    sent.on('error', reject);
    sent.end();
  });
}
