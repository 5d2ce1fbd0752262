import { execFile } from 'node:child_process';

export interface Load {
  readonly port: number;
  readonly host: string;
  readonly path?: string;
  readonly seconds: number;
  readonly connections: number;
  /** Lua file for wrk, to vary the requests. */
  readonly script?: string;
}

export interface LoadResult {
  readonly requests: number;
  readonly perSecond: number;
  readonly p99Ms: number;
}

/** Runs wrk with one thread. Rejects when a request failed or was answered with anything but 2xx or 3xx. */
export function runWrk({ port, host, path = '/', seconds, connections, script }: Load): Promise<LoadResult> {
  const args = ['-t1', `-c${connections}`, `-d${seconds}s`, '--latency', '-H', `Host: ${host}`];
  if (script !== undefined) args.push('-s', script);
  return new Promise((resolve, reject) => {
    execFile('wrk', [...args, `http://127.0.0.1:${port}${path}`], (error, stdout, stderr) => {
      const requests = Number(/(\d+) requests in/.exec(stdout)?.[1]);
      const perSecond = Number(/Requests\/sec:\s+([\d.]+)/.exec(stdout)?.[1]);
      if (error !== null || !Number.isFinite(requests) || requests === 0) {
        reject(new Error(`wrk failed: ${stderr}${stdout}`, { cause: error }));
      } else if (/Non-2xx or 3xx responses|Socket errors/.test(stdout)) {
        reject(new Error(`requests failed:\n${stdout}`));
      } else {
        resolve({ requests, perSecond, p99Ms: milliseconds(/99%\s+(\S+)/.exec(stdout)?.[1]) });
      }
    });
  });
}

/** `870.00us`, `1.25ms`, `1.02s`. */
function milliseconds(text = ''): number {
  const [, amount, unit = ''] = /^([\d.]+)(us|ms|s)$/.exec(text) ?? [];
  return Number(amount) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1);
}
