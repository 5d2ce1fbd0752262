/**
 * Prints how much CPU a request costs next to nginx configured by hand, and how weir does with many Ingresses.
 *
 * Usage: test/bench/bench.ts [cpu|parts|backends|scale]     all unless one is named
 * SCALE=small: a quick look, to try the bench itself; the figures mean little.
 */
import Table from 'cli-table3';
import { compareManyBackends } from './cpu/compare-many-backends.ts';
import { compareRequests } from './cpu/compare-requests.ts';
import { manyBackendsTable, partsTable, requestTable } from './cpu/cpu-tables.ts';
import { measureParts } from './cpu/measure-parts.ts';
import { measureScale, type ScaleFigures } from './scale/measure-scale.ts';
import { UndoList } from './undo-list.ts';

const QUICK = { rounds: 1, seconds: 1, warmUpSeconds: 1 };

const SIZES = {
  small: {
    cpu: { requests: QUICK, handshakes: QUICK, crowd: QUICK },
    parts: QUICK,
    backends: { few: 10, many: 200, rounds: QUICK },
    scale: [{ apps: 100, certificates: 10, changes: 20, loadSeconds: 1 }],
  },
  full: {
    cpu: {
      requests: { rounds: 5, seconds: 3, warmUpSeconds: 1 },
      handshakes: { rounds: 3, seconds: 3, warmUpSeconds: 1 },
      crowd: { rounds: 5, seconds: 3, warmUpSeconds: 1 },
    },
    parts: { rounds: 5, seconds: 2, warmUpSeconds: 1 },
    backends: { few: 10, many: 10_000, rounds: { rounds: 4, seconds: 3, warmUpSeconds: 8 } },
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
    await withUndo(async (scope) => print(requestTable(await compareRequests(scope, size.cpu, words))));
  }
  if (part === undefined || part === 'parts') {
    await withUndo(async (scope) => print(partsTable(await measureParts(scope, size.parts, words))));
  }
  if (part === undefined || part === 'backends') {
    await withUndo(async (scope) => print(manyBackendsTable(await compareManyBackends(scope, size.backends, words))));
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
  row(
    'memory of weir (RSS), MiB (MB)',
    (f) => `${f.controllerMib.toFixed(0)} (${(f.controllerMib * 1.048576).toFixed(0)})`,
  );
  row('… after a start with saved state', (f) => `${f.savedMib.toFixed(0)} (${(f.savedMib * 1.048576).toFixed(0)})`);
  row("memory of nginx's master, MiB", (f) => f.masterMib.toFixed(0));
  row("memory of nginx's workers, MiB", (f) => f.workersMib.map((mib) => mib.toFixed(0)).join(' + '));
  row('change of endpoints → traffic, median ms', (f) => f.change.p50Ms.toFixed(1));
  row('… p99 ms', (f) => f.change.p99Ms.toFixed(1));
  row('… p99, × that of the fewest', (f) => (f.change.p99Ms / (figures[0]?.change.p99Ms ?? Number.NaN)).toFixed(2));
  row('… most ms', (f) => f.change.mostMs.toFixed(1));
  row('CPU a change: weir, ms', (f) => f.change.controllerCpuMs.toFixed(1));
  row('CPU a change: nginx, ms', (f) => f.change.nginxCpuMs.toFixed(1));
  row('CPU a change: all, ms', (f) => (f.change.controllerCpuMs + f.change.nginxCpuMs).toFixed(1));
  row('CPU a request, hosts in turn: nginx, µs', (f) => f.requestMicros.toFixed(1));
  row(`reloads by these changes`, (f) => String(f.change.reloads));
  return table.toString();
}

await main();
