import { block, directive } from './build-directive.ts';
import type { NginxSettings } from './configuration.ts';
import type { Directive } from './directive.ts';
import { runPaths } from './run-paths.ts';

/** Everything outside `http`. */
export function mainBlock(settings: NginxSettings): readonly Directive[] {
  const { paths, user } = settings;
  return [
    ...settings.modules.map((module) => directive('load_module', module)),
    ...(user === undefined ? [] : [directive('user', user)]),
    directive('worker_processes', settings.workers),
    directive('worker_rlimit_nofile', settings.openFiles),
    directive('worker_shutdown_timeout', `${settings.workerShutdownTimeout}s`),
    directive('pid', runPaths(paths.run).pid),
    directive('error_log', paths.errorLog, settings.errorLogLevel),
    directive('pcre_jit', 'on'),
    block('events', [], [directive('worker_connections', settings.workerConnections)]),
  ];
}
