import { execFile } from 'node:child_process';
import type { ExecPlugin, KubeCluster } from '../kube-config.ts';
import { KubeError } from '../kube-error.ts';
import { type ExecCredential, readExecCredential } from './exec-credential.ts';

const PATIENCE_MS = 60_000;
const MOST_OUTPUT = 1024 * 1024;
const MOST_WORDS = 300;
/** Longer than words are, and of what tokens and keys are made of. */
const LIKE_A_SECRET = /[A-Za-z0-9+_=.~-]{24,}/g;

export interface ExecRun {
  readonly plugin: ExecPlugin;
  readonly cluster: KubeCluster;
  /** PEM of the cluster's authority, for a plugin that is told of the cluster. */
  readonly authority?: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Milliseconds; default a minute. */
  readonly timeout?: number;
}

/** Asks a credential plugin. Throws a KubeError that names the program and what to do. */
export function runExecPlugin(run: ExecRun): Promise<ExecCredential> {
  const { plugin, environment, timeout = PATIENCE_MS } = run;
  return new Promise((resolve, reject) => {
    const child = execFile(
      plugin.command,
      [...plugin.args],
      {
        env: { ...environment, ...plugin.environment, KUBERNETES_EXEC_INFO: JSON.stringify(infoOf(run)) },
        timeout,
        killSignal: 'SIGKILL',
        maxBuffer: MOST_OUTPUT,
        encoding: 'utf8',
      },
      (error, stdout, stderr) => {
        if (error !== null) return reject(failure(plugin, error, stderr, timeout));
        const credential = readExecCredential(stdout, plugin);
        if (typeof credential === 'string') {
          return reject(
            new KubeError(`the credential plugin ${plugin.command} ${credential}`, { remedy: remedyOf(plugin) }),
          );
        }
        return resolve(credential);
      },
    );
    child.stdin?.end();
  });
}

function infoOf({ plugin, cluster, authority }: ExecRun): unknown {
  return {
    kind: 'ExecCredential',
    apiVersion: plugin.apiVersion,
    spec: {
      interactive: false,
      ...(plugin.provideClusterInfo
        ? {
            cluster: {
              server: cluster.server,
              ...(cluster.serverName === undefined ? {} : { 'tls-server-name': cluster.serverName }),
              ...(cluster.insecure ? { 'insecure-skip-tls-verify': true } : {}),
              ...(authority === undefined
                ? {}
                : { 'certificate-authority-data': Buffer.from(authority).toString('base64') }),
              ...(cluster.execConfig === undefined ? {} : { config: cluster.execConfig }),
            },
          }
        : {}),
    },
  };
}

function failure(
  plugin: ExecPlugin,
  error: Error & { code?: unknown; killed?: boolean },
  stderr: string,
  timeout: number,
): KubeError {
  // Not error.message: it repeats the arguments, which may hold secrets.
  const why =
    error.code === 'ENOENT'
      ? 'is not installed'
      : error.code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER'
        ? `wrote more than ${MOST_OUTPUT} bytes`
        : error.killed === true
          ? `did not answer within ${timeout / 1000} s`
          : typeof error.code === 'number'
            ? `ended with exit code ${error.code}`
            : `could not be run (${String(error.code)})`;
  const words = stderr.trim().replace(LIKE_A_SECRET, '[redacted]').slice(-MOST_WORDS);
  return new KubeError(`the credential plugin ${plugin.command} ${why}${words === '' ? '' : `: ${words}`}`, {
    remedy: remedyOf(plugin),
  });
}

function remedyOf({ command, installHint }: ExecPlugin): string {
  return installHint ?? `Install ${command} or correct it in the kubeconfig, and try it by hand.`;
}
