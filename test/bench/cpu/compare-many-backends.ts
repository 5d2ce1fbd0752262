import { freePort, type Scope } from '../../support/scope.ts';
import { startNginx } from '../nginx-process.ts';
import { backendConf } from './backend-conf.ts';
import { type Arm, type ArmFigures, measureArms, type Rounds } from './measure-arms.ts';
import { handWrittenConf, type ProxyHost } from './proxy-conf.ts';
import { startWeirArm } from './weir-arm.ts';
import { runWrk } from '../wrk.ts';
import { hostsInTurn } from './wrk-scripts.ts';

const CONNECTIONS = 32;
const A_BYTE = 250;

/**
 * Hosts with a backend each, requested in turn, few and many: by hand and by weir, in this order. Every backend has an
 * address of its own in 127.0.0.0/8; behind all of a kind stands one nginx, which has to hold a connection for each.
 */
export async function compareManyBackends(
  scope: Scope,
  { few, many, rounds }: { readonly few: number; readonly many: number; readonly rounds: Rounds },
  say: (line: string) => void,
): Promise<readonly ArmFigures[]> {
  const byHand = await backend(scope);
  const byWeir = await backend(scope);
  const arms: Arm[] = [];
  for (const count of [few, many]) {
    const port = await freePort();
    const conf = handWrittenConf({ port, hosts: [...hostsWith(count, byHand), fallback(byHand)] });
    const { workers } = await startNginx(scope, 'hand', port, conf);
    arms.push({ name: `by hand, ${count} hosts`, workers, load: load(scope, port, count) });
  }
  for (const count of [few, many]) {
    const weir = await startWeirArm(scope, hostsWith(count, byWeir));
    arms.push({ name: `weir, ${count} hosts`, workers: weir.workers, load: load(scope, weir.httpPort, count) });
  }
  say(`hosts with a backend each, ${few} and ${many}`);
  return measureArms(arms, rounds, say);
}

async function backend(scope: Scope): Promise<number> {
  const port = await freePort();
  await startNginx(scope, 'backend', port, backendConf([port], ['0.0.0.0']));
  return port;
}

/** 127.1.0.1 and on. */
function hostsWith(count: number, port: number): ProxyHost[] {
  return Array.from({ length: count }, (_, index) => {
    const address = `127.${1 + Math.floor(index / A_BYTE / A_BYTE)}.${Math.floor(index / A_BYTE) % A_BYTE}.${1 + (index % A_BYTE)}`;
    return { name: hostOf(index), endpoints: [`${address}:${port}`] };
  });
}

/** Asked for at the start only. */
function fallback(port: number): ProxyHost {
  return { name: 'bench.test', endpoints: [`127.0.0.1:${port}`] };
}

function hostOf(index: number): string {
  return `app-${index}.test`;
}

function load(scope: Scope, port: number, count: number): Arm['load'] {
  const script = hostsInTurn(scope, hostOf, count);
  return (seconds) => runWrk({ port, host: hostOf(0), connections: CONNECTIONS, script, seconds });
}
