/**
 * Prints how much CPU a request costs next to nginx configured by hand, and how weir does with many Ingresses.
 *
 * Usage: test/bench/bench.ts [cpu|scale]     both unless one is named
 * SCALE=small: a quick look, to try the bench itself; the figures mean little.
 */
import Table from 'cli-table3';
import { type ArmFigures, measureCpu } from './cpu/cpu-per-request.ts';
import { measureScale, type ScaleFigures } from './scale/measure-scale.ts';
import { UndoList } from './undo-list.ts';

const SIZES = {
  small: {
    cpu: { rounds: 1, seconds: 1, connections: 32 },
    scale: [{ apps: 100, certificates: 10, changes: 20, loadSeconds: 1 }],
  },
  full: {
    cpu: { rounds: 5, seconds: 4, connections: 32 },
    scale: [
      { apps: 100, certificates: 10, changes: 200, loadSeconds: 5 },
      { apps: 10_000, certificates: 1000, changes: 200, loadSeconds: 5 },
    ],
  },
} as const;

const words = (line: string) => process.stderr.write(`bench: ${line}\n`);

async function main(): Promise<void> {
  const part = process.argv[2];
  const size = process.env['SCALE'] === 'small' ? SIZES.small : SIZES.full;
  if (part === undefined || part === 'cpu') {
    await withUndo(async (scope) => print(cpuTable(await measureCpu(scope, size.cpu, words), size.cpu.rounds)));
  }
  if (part === undefined || part === 'scale') {
    const figures: ScaleFigures[] = [];
    for (const scale of size.scale) {
      await withUndo(async (scope) => figures.push(await measureScale(scope, scale, words)));
    }
    print(scaleTable(figures));
  }
}

async function withUndo(body: (scope: UndoList) => Promise<unknown>): Promise<void> {
  const scope = new UndoList();
  try {
    await body(scope);
  } finally {
    await scope.undo();
  }
}

function print(text: string): void {
  process.stdout.write(`${text}\n\n`);
}

function cpuTable(arms: readonly ArmFigures[], rounds: number): string {
  const table = new Table({
    head: [`CPU of nginx's worker, ${rounds} rounds`, 'µs a request', 'lowest–highest', '× by hand', 'requests/s'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const { name, micros, lowest, highest, ratio, requestsPerSecond } of arms) {
    const spread = `${lowest.toFixed(1)}–${highest.toFixed(1)}`;
    table.push([name, micros.toFixed(1), spread, ratio.toFixed(2), Math.round(requestsPerSecond)]);
  }
  return table.toString();
}

function scaleTable(figures: readonly ScaleFigures[]): string {
  const table = new Table({
    head: ['', ...figures.map(({ apps }) => `${apps} Ingresses`)],
    colAligns: ['left', ...figures.map(() => 'right' as const)],
    style: { head: [], border: [] },
  });
  const row = (name: string, value: (figure: ScaleFigures) => string) => table.push([name, ...figures.map(value)]);
  row('certificates', (f) => String(f.certificates));
  row('start from the folder → last host answers, s', (f) => f.coldSeconds.toFixed(2));
  row('start with saved state → last host answers, s', (f) => f.savedSeconds.toFixed(2));
  row('memory of weir (RSS), MiB', (f) => f.controllerMib.toFixed(0));
  row("memory of nginx's master, MiB", (f) => f.masterMib.toFixed(0));
  row("memory of nginx's workers, MiB", (f) => f.workersMib.map((mib) => mib.toFixed(0)).join(' + '));
  row('change of endpoints → traffic, median ms', (f) => f.change.p50Ms.toFixed(1));
  row('… p99 ms', (f) => f.change.p99Ms.toFixed(1));
  row('… most ms', (f) => f.change.mostMs.toFixed(1));
  row('CPU a change: weir, ms', (f) => f.change.controllerCpuMs.toFixed(1));
  row('CPU a change: nginx, ms', (f) => f.change.nginxCpuMs.toFixed(1));
  row('CPU a request, hosts in turn: nginx, µs', (f) => f.requestMicros.toFixed(1));
  row(`reloads by these changes`, (f) => String(f.change.reloads));
  return table.toString();
}

await main();
