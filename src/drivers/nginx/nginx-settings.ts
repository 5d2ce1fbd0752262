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
  const user = process.getuid?.() === 0 ? (options.user ?? workerAccount()) : undefined;
  return {
    nginxVersion: installation.version,
    modules: installation.modules,
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
    workerConnections: options.workerConnections ?? 16_384,
    workerShutdownTimeout: options.workerShutdownTimeout ?? 240,
    upstreamKeepAlive: options.upstreamKeepAlive ?? { connections: 320, requests: 10_000, timeoutSeconds: 60 },
  };
}

function workerAccount(): string {
  const accounts = readFileSync('/etc/passwd', 'utf8');
  return ['www-data', 'nginx'].find((name) => accounts.includes(`\n${name}:`)) ?? 'nobody';
}
