import { freePort, freePorts, type Scope } from '../../support/scope.ts';
import { median } from '../figures.ts';
import { startNginx } from '../nginx-process.ts';
import { cpuSeconds } from '../process-figures.ts';
import { runWrk } from '../wrk.ts';
import { backendConf } from './backend-conf.ts';
import { barestLuaConf, handWrittenConf } from './proxy-conf.ts';
import { startWeirArm } from './weir-arm.ts';

export interface CpuOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
}

export interface ArmFigures {
  readonly name: string;
  /** Median over the rounds: CPU of the nginx workers, µs a request. */
  readonly micros: number;
  readonly lowest: number;
  readonly highest: number;
  /** Median of the ratios to the hand-written configuration, round by round. */
  readonly ratio: number;
  readonly requestsPerSecond: number;
}

interface Arm {
  readonly name: string;
  readonly port: number;
  readonly workers: () => readonly number[];
}

/**
 * CPU that one request costs in the nginx in front of a tiny backend, for weir, for nginx configured by hand and for the
 * least that Lua can do. The arms take turns, so that what else the machine does meets them alike.
 */
export async function measureCpu(
  scope: Scope,
  options: CpuOptions,
  say: (line: string) => void,
): Promise<ArmFigures[]> {
  const backendPorts = await freePorts(2);
  await startNginx(scope, 'backend', backendPorts[0] ?? 0, backendConf(backendPorts));
  const arms: Arm[] = [];
  for (const [name, conf] of [
    ['nginx, written by hand', handWrittenConf],
    ['nginx, barest Lua router', barestLuaConf],
  ] as const) {
    const port = await freePort();
    const nginx = await startNginx(scope, 'proxy', port, conf({ port, backendPorts }));
    arms.push({ name, port, workers: nginx.workers });
  }
  for (const hosts of [1, 1000]) {
    const weir = await startWeirArm(scope, { hosts, backendPorts });
    arms.push({ name: `weir, ${hosts} Ingress${hosts === 1 ? '' : 'es'}`, port: weir.httpPort, workers: weir.workers });
  }
  const measured = new Map<string, { micros: number[]; perSecond: number[] }>();
  for (const arm of arms) {
    measured.set(arm.name, { micros: [], perSecond: [] });
    await runWrk({ port: arm.port, host: 'bench.test', seconds: 1, connections: options.connections });
  }
  for (let round = 1; round <= options.rounds; round += 1) {
    const line: string[] = [];
    for (const arm of arms) {
      const workers = arm.workers();
      const before = cpuSeconds(workers);
      const load = await runWrk({ port: arm.port, host: 'bench.test', ...options });
      const micros = ((cpuSeconds(workers) - before) / load.requests) * 1e6;
      measured.get(arm.name)?.micros.push(micros);
      measured.get(arm.name)?.perSecond.push(load.perSecond);
      line.push(`${arm.name} ${micros.toFixed(1)}`);
    }
    say(`round ${round} of ${options.rounds}, µs: ${line.join(' · ')}`);
  }
  const reference = measured.get(arms[0]?.name ?? '')?.micros ?? [];
  return arms.map(({ name }) => {
    const { micros = [], perSecond = [] } = measured.get(name) ?? {};
    return {
      name,
      micros: median(micros),
      lowest: Math.min(...micros),
      highest: Math.max(...micros),
      ratio: median(micros.map((value, round) => value / (reference[round] ?? Number.NaN))),
      requestsPerSecond: median(perSecond),
    };
  });
}
