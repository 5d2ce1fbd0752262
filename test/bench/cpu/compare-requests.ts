import { makeAuthority } from '../../support/certificates.ts';
import { freePorts, type Scope } from '../../support/scope.ts';
import { runHandshakes } from '../handshakes.ts';
import { startNginx } from '../nginx-process.ts';
import { runWrk } from '../wrk.ts';
import { backendConf } from './backend-conf.ts';
import { type Arm, type ArmFigures, measureArms, type Rounds } from './measure-arms.ts';
import { barestLuaConf, handWrittenConf, type ProxyHost } from './proxy-conf.ts';
import { startWeirArm } from './weir-arm.ts';
import { chunkedPost } from './wrk-scripts.ts';

export interface RequestFigures {
  /** By hand, barest Lua, weir: a GET that stays in the common location. */
  readonly common: readonly ArmFigures[];
  /** By hand, weir: a POST that goes to a named location. */
  readonly profile: readonly ArmFigures[];
  /** By hand, barest Lua, weir: a TLS handshake for each request. */
  readonly handshakes: readonly ArmFigures[];
  /** By hand, weir: many clients at once. */
  readonly crowd: readonly ArmFigures[];
}

export interface RequestOptions {
  readonly requests: Rounds;
  readonly handshakes: Rounds;
  readonly crowd: Rounds;
}

const HOSTS = 10;
const HOST = 'bench.test';
const CONNECTIONS = 32;
const CROWD = 256;

/** One nginx by hand, one with the barest Lua, one of weir, for the same ten hosts with two endpoints each. */
export async function compareRequests(
  scope: Scope,
  options: RequestOptions,
  say: (line: string) => void,
): Promise<RequestFigures> {
  const backendPorts = await freePorts(2);
  await startNginx(scope, 'backend', backendPorts[0] ?? 0, backendConf(backendPorts));
  const endpoints = backendPorts.map((port) => `127.0.0.1:${port}`);
  const names = [HOST, ...Array.from({ length: HOSTS - 1 }, (_, index) => `app-${index}.test`)];
  const hosts = names.map((name): ProxyHost => ({ name, endpoints }));
  const pair = await (await makeAuthority()).issue([HOST]);
  const files = { 'tls.pem': pair.certificate, 'tls.key': pair.key };
  const [handPort = 0, handTlsPort = 0, luaPort = 0, luaTlsPort = 0] = await freePorts(4);
  const handConf = handWrittenConf({ port: handPort, httpsPort: handTlsPort, hosts });
  const hand = { ...(await startNginx(scope, 'hand', handPort, handConf, files)), http: handPort, https: handTlsPort };
  const luaConf = barestLuaConf({ port: luaPort, httpsPort: luaTlsPort, hosts });
  const lua = { ...(await startNginx(scope, 'lua', luaPort, luaConf, files)), http: luaPort, https: luaTlsPort };
  const plain = await startWeirArm(scope, hosts);
  const secured = await startWeirArm(scope, hosts, pair);
  const get =
    (port: number, connections = CONNECTIONS): Arm['load'] =>
    (seconds) =>
      runWrk({ port, host: HOST, connections, seconds });
  const script = chunkedPost(scope, HOST);
  const post =
    (port: number): Arm['load'] =>
    (seconds) =>
      runWrk({ port, host: HOST, connections: CONNECTIONS, script, seconds });
  const handshake =
    (port: number): Arm['load'] =>
    (seconds) =>
      runHandshakes({ port, host: HOST, connections: CONNECTIONS, seconds });
  const arm = (name: string, of: Pick<Arm, 'workers'>, load: Arm['load']): Arm => ({ name, workers: of.workers, load });
  const measure = async (title: string, rounds: Rounds, arms: readonly Arm[]) => {
    say(title);
    return measureArms(arms, rounds, say);
  };
  return {
    common: await measure('common profile', options.requests, [
      arm('by hand', hand, get(hand.http)),
      arm('barest Lua', lua, get(lua.http)),
      arm('weir', plain, get(plain.httpPort)),
    ]),
    profile: await measure('named location', options.requests, [
      arm('by hand', hand, post(hand.http)),
      arm('weir', plain, post(plain.httpPort)),
    ]),
    handshakes: await measure('a handshake for each request', options.handshakes, [
      arm('by hand', hand, handshake(hand.https)),
      arm('barest Lua', lua, handshake(lua.https)),
      arm('weir', secured, handshake(secured.httpsPort)),
    ]),
    crowd: await measure(`${CROWD} connections`, options.crowd, [
      arm('by hand', hand, get(hand.http, CROWD)),
      arm('weir', plain, get(plain.httpPort, CROWD)),
    ]),
  };
}
