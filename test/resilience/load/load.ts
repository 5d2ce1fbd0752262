import { fork } from 'node:child_process';
import { join } from 'node:path';
import { backendService, ingress, type Manifest, tlsSecret } from '../../support/manifests.ts';
import { makeAuthority } from '../../support/certificates.ts';
import type { Scope } from '../../support/scope.ts';
import type { Weir } from '../../support/weir.ts';
import { LOAD_KINDS, type LoadAnswer, type LoadCommand, type LoadReport } from './load-message.ts';

export const LOAD_HOSTS = ['steady-0.example', 'steady-1.example', 'steady-2.example', 'steady-3.example'] as const;

export interface Load {
  /** What serves the load's hosts, over HTTP and HTTPS, and WebSockets on them. */
  readonly manifests: readonly Manifest[];
  start(weir: Weir, rate: number): void;
  report(): Promise<LoadReport>;
  /** Resolves with the figures when everything sent is answered. */
  stop(): Promise<LoadReport>;
}

/** A load in a process of its own, which begins when it is told to. It ends with the test. */
export async function prepareLoad(scope: Scope): Promise<Load> {
  const child = fork(join(import.meta.dirname, 'load-process.ts'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  scope.after(() => {
    if (child.connected) child.disconnect();
  });
  const answer = () =>
    new Promise<LoadAnswer>((resolve, reject) => {
      const ended = () => reject(new Error('the load process ended'));
      child.once('exit', ended);
      child.once('message', (message) => {
        child.off('exit', ended);
        resolve(message as LoadAnswer);
      });
    });
  const told = await answer();
  const endpoints = told.type === 'backends' ? told.endpoints : [];
  const ask = async (command: LoadCommand): Promise<LoadReport> => {
    const coming = answer();
    child.send(command);
    const reply = await coming;
    if (reply.type !== 'report') throw new Error(`the load process answered ${reply.type}`);
    return reply.report;
  };
  const pair = await (await makeAuthority()).issue([...LOAD_HOSTS]);
  return {
    manifests: [
      ...backendService({ name: 'steady', endpoints }),
      tlsSecret({ name: 'steady-tls', ...pair }),
      ...LOAD_HOSTS.map((host) =>
        ingress({
          name: host.replaceAll('.', '-'),
          host,
          paths: [{ service: 'steady' }],
          tls: [{ hosts: [host], secretName: 'steady-tls' }],
          annotations: { 'nginx.ingress.kubernetes.io/ssl-redirect': 'false' },
        }),
      ),
    ],
    start({ httpPort, httpsPort }, rate) {
      child.send({ type: 'start', httpPort, httpsPort, hosts: LOAD_HOSTS, rate } satisfies LoadCommand);
    },
    report: () => ask({ type: 'report' }),
    stop: () => ask({ type: 'stop' }),
  };
}

/** One line for the test's output. */
export function loadText(report: LoadReport): string {
  const kinds = LOAD_KINDS.map((kind) => `${kind} ${report.byKind[kind]}`).join(', ');
  const rate = Math.round(report.requests / report.seconds);
  return `requests ${report.requests} failed ${report.failed} (${rate}/s; ${kinds}; p50 ${report.p50} p99 ${report.p99} longest ${report.longest} ms)`;
}
