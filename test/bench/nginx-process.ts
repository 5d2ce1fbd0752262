import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { request } from '../support/clients/http-client.ts';
import { eventually, type Scope, temporaryDirectory } from '../support/scope.ts';
import { childrenOf } from './process-figures.ts';

export interface NginxProcess {
  readonly pid: number;
  readonly directory: string;
  workers(): readonly number[];
}

/** Lines that every nginx of the bench begins with. `events` and `http` follow. */
export function mainContext(directory: string, workers = 1): string {
  return `
daemon off;
worker_processes ${workers};
worker_rlimit_nofile 65535;
pid ${directory}/nginx.pid;
error_log ${directory}/error.log warn;
events { worker_connections 16384; }
`;
}

/** Temporary paths that don't need Debian's directories. */
export function temporaryPaths(directory: string): string {
  return ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${directory}/${name};`)
    .join('\n');
}

/** Starts nginx with a configuration of the bench's own and waits until `port` answers 200. */
export async function startNginx(
  scope: Scope,
  name: string,
  port: number,
  configuration: (directory: string) => string,
  files: Readonly<Record<string, string>> = {},
): Promise<NginxProcess> {
  let child: ChildProcess | undefined;
  let words = '';
  // Before the directory is made, so that it goes after the process.
  scope.after(() => end(child));
  const directory = temporaryDirectory(scope, name);
  for (const sub of ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']) mkdirSync(join(directory, sub));
  for (const [file, text] of Object.entries(files)) writeFileSync(join(directory, file), text);
  const file = join(directory, 'nginx.conf');
  writeFileSync(file, configuration(directory));
  child = spawn('nginx', ['-p', directory, '-c', file, '-e', `${directory}/error.log`], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // A session of its own, as weir's nginx has: Linux shares the processors out among sessions.
    detached: true,
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    words += chunk.toString();
  });
  const pid = child.pid ?? -1;
  try {
    await eventually(
      `${name} nginx to answer`,
      async () => (await request({ port, host: 'bench.test' })).status === 200,
      { withinMs: 60_000 },
    );
  } catch (error) {
    throw new Error(`nginx "${name}" does not answer on port ${port}: ${words}`, { cause: error });
  }
  return { pid, directory, workers: () => childrenOf(pid) };
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
}
