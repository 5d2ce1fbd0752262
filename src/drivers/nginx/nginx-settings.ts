import { readFileSync } from 'node:fs';
import type { NginxSettings } from './conf/configuration.ts';
import type { NginxDriverOptions } from './nginx-options.ts';
import type { DefaultCertificate } from './supervisor/default-certificate.ts';
import type { NginxInstallation } from './supervisor/nginx-installation.ts';
import type { StateDirectory } from './supervisor/state-directory.ts';

export function nginxSettings(
  options: NginxDriverOptions,
  directory: StateDirectory,
  installation: NginxInstallation,
  dataplane: string,
  certificate: DefaultCertificate,
): NginxSettings {
  const workerConnections = options.workerConnections ?? Math.min(32_768, openFilesHardLimit());
  const user = process.getuid?.() === 0 ? (options.user ?? workerAccount()) : undefined;
  return {
    nginxVersion: installation.version,
    modules: installation.modules,
    lua: installation.lua,
    workers: options.workers ?? 'auto',
    ...(user === undefined ? {} : { user }),
    paths: {
      run: directory.run,
      dataplane,
      temp: directory.temp,
      errorLog: options.errorLog ?? directory.errorLog,
      accessLog: options.accessLog ?? 'off',
      defaultCertificate: certificate.certificate,
      defaultKey: certificate.key,
    },
    errorLogLevel: options.errorLogLevel ?? 'warn',
    workerConnections,
    openFiles: Math.min(Math.max(65_536, workerConnections * 2), openFilesHardLimit()),
    workerShutdownTimeout:
      options.workerShutdownTimeout ?? Math.max(240, Math.ceil((options.drainTimeout ?? 0) / 1000)),
    upstreamKeepAlive: options.upstreamKeepAlive ?? { connections: 320, requests: 10_000, timeoutSeconds: 60 },
  };
}

/** More than the hard limit would be an alert of every worker at every start, and nothing else. */
function openFilesHardLimit(): number {
  const hard = /^Max open files +\S+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
  return hard === undefined ? Number.POSITIVE_INFINITY : Number(hard);
}

function workerAccount(): string {
  const accounts = readFileSync('/etc/passwd', 'utf8');
  return ['www-data', 'nginx'].find((name) => accounts.includes(`\n${name}:`)) ?? 'nobody';
}
