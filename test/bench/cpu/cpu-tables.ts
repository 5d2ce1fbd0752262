import Table from 'cli-table3';
import { median } from '../figures.ts';
import type { RequestFigures } from './compare-requests.ts';
import { type ArmFigures, ratios } from './measure-arms.ts';

/** Each title with its arms; ratios are made within a round, to the arms of that title, and their median is shown. */
export function requestTable({ common, profile, handshakes, crowd }: RequestFigures): string {
  const table = new Table({
    head: ["CPU of nginx's worker", 'µs a request', 'lowest–highest', '× by hand', '× barest Lua', 'requests/s'],
    colAligns: ['left', 'right', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  const section = (title: string, arms: readonly ArmFigures[]) => {
    const [hand] = arms;
    const lua = arms.find(({ name }) => name === 'barest Lua');
    for (const arm of arms) {
      table.push([
        `${title}: ${arm.name}`,
        median(arm.micros).toFixed(1),
        `${Math.min(...arm.micros).toFixed(1)}–${Math.max(...arm.micros).toFixed(1)}`,
        ratio(arm.micros, hand?.micros),
        ratio(arm.micros, lua?.micros),
        Math.round(arm.requestsPerSecond),
      ]);
    }
  };
  section('common profile', common);
  section('named location', profile);
  section('new handshakes', handshakes);
  return [table.toString(), p99Table(crowd)].join('\n\n');
}

function p99Table(arms: readonly ArmFigures[]): string {
  const table = new Table({
    head: ['256 connections', 'p99, ms', 'lowest–highest', '× by hand'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const { name, p99Ms } of arms) {
    const spread = `${Math.min(...p99Ms).toFixed(1)}–${Math.max(...p99Ms).toFixed(1)}`;
    table.push([name, median(p99Ms).toFixed(1), spread, ratio(p99Ms, arms[0]?.p99Ms)]);
  }
  return table.toString();
}

/** Few hosts, many hosts, of one way after the other. */
export function manyBackendsTable(arms: readonly ArmFigures[]): string {
  const table = new Table({
    head: ['A backend for each host, hosts in turn', 'µs a request', 'lowest–highest', '× few hosts', '× by hand'],
    colAligns: ['left', 'right', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  for (const [index, { name, micros }] of arms.entries()) {
    const spread = `${Math.min(...micros).toFixed(1)}–${Math.max(...micros).toFixed(1)}`;
    const fewer = arms[index - (index % 2)];
    const hand = arms[index % 2];
    table.push([name, median(micros).toFixed(1), spread, ratio(micros, fewer?.micros), ratio(micros, hand?.micros)]);
  }
  return table.toString();
}

/** The whole first. */
export function partsTable(arms: readonly ArmFigures[]): string {
  const table = new Table({
    head: ['Where it lies', 'µs a request', 'lowest–highest', 'less, µs'],
    colAligns: ['left', 'right', 'right', 'right'],
    style: { head: [], border: [] },
  });
  const whole = arms[0]?.micros ?? [];
  for (const { name, micros } of arms) {
    const spread = `${Math.min(...micros).toFixed(1)}–${Math.max(...micros).toFixed(1)}`;
    const less = median(whole.map((value, round) => value - (micros[round] ?? Number.NaN)));
    table.push([name, median(micros).toFixed(1), spread, less.toFixed(1)]);
  }
  return table.toString();
}

function ratio(of: readonly number[], to: readonly number[] | undefined): string {
  return to === undefined ? '' : median(ratios(of, to)).toFixed(2);
}
