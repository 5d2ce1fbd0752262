import { freePorts, type Scope } from '../../support/scope.ts';
import { Dataplane, endpoints, route } from '../../support/dataplane.ts';
import { startNginx } from '../nginx-process.ts';
import { childrenOf } from '../process-figures.ts';
import { runWrk } from '../wrk.ts';
import { backendConf } from './backend-conf.ts';
import { type Arm, type ArmFigures, measureArms, type Rounds } from './measure-arms.ts';

const HOST = 'bench.test';

/** Where the cost of a request lies: the data plane as it is, first, and with a part of its configuration taken out. */
export async function measureParts(scope: Scope, rounds: Rounds, say: (line: string) => void): Promise<ArmFigures[]> {
  const ports = await freePorts(2);
  await startNginx(scope, 'backend', ports[0] ?? 0, backendConf(ports));
  const arms: Arm[] = [];
  for (const [name, edit] of parts(ports)) {
    const dataplane = await Dataplane.start(scope, { workers: 1, accessLog: true, keepAlive: 320, edit });
    await dataplane.put({ 'b:app': endpoints(ports), [`h:default/${HOST}`]: { routes: [route('app')] } });
    const [worker = 0] = childrenOf(dataplane.masterPid);
    const load = { port: dataplane.httpPort, host: HOST, connections: 32 };
    arms.push({ name, workers: () => [worker], load: (seconds) => runWrk({ ...load, seconds }) });
  }
  say('the data plane without one of its parts');
  return measureArms(arms, rounds, say);
}

type Edit = (text: string) => string;

function parts(ports: readonly number[]): readonly (readonly [name: string, edit: Edit])[] {
  const headerFilter: Edit = (text) => take(text, /^ *header_filter_by_lua_block .*\n/gm);
  const log: Edit = (text) => take(text, /^ *log_by_lua_block .*\n/gm);
  const servers = ports.map((port) => `server "127.0.0.1:${port}";`).join(' ');
  const balancer: Edit = (text) =>
    take(text, /(?<=upstream "weir_http" \{\s+)server "0\.0\.0\.1";\s+balancer_by_lua_block .*/g, servers);
  const router: Edit = (text) =>
    take(take(text, /^ *set_by_lua_block .*\n/gm), /^ *if "\(\$weir_\w+\)" \{\n.*\n *\}\n/gm);
  const lua: Edit = (text) => router(balancer(log(headerFilter(text))));
  return [
    ['weir', (text) => text],
    ['without the header filter', headerFilter],
    ['without the log phase', log],
    ['without maps', maps],
    ['without balancer', balancer],
    ['without any Lua', lua],
    ['without any Lua, without maps', (text) => maps(lua(text))],
  ];
}

/** Plain variables in the place of those that nginx finds by a map. */
function maps(text: string): string {
  const plain = {
    weir_upstream_host: 'http_host',
    weir_client_host: 'http_host',
    weir_request_id: 'request_id',
    weir_upgrade: 'http_upgrade',
    weir_connection_header: 'http_upgrade',
    weir_status: 'status',
  };
  return take(text, /^ *(?:proxy_set_header|log_format|access_log) .*$/gm, (line: string) =>
    Object.entries(plain)
      .reduce((changed, [name, instead]) => changed.replaceAll(`$${name}`, `$${instead}`), line)
      .replace(' "if=$weir_logged"', ''),
  );
}

/** A part that isn't there would go unnoticed, and so would the time that it takes. */
function take(text: string, what: RegExp, instead: string | ((found: string) => string) = ''): string {
  const changed = text.replaceAll(what, typeof instead === 'string' ? () => instead : instead);
  if (changed === text)
    throw new Error(`the configuration has nothing like ${what}; bring measure-parts.ts up to date`);
  return changed;
}
