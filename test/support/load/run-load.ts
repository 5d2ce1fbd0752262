/**
 * The load as a program, to be run wherever the clients should be (in a network namespace, say):
 * `run-load.ts '{"plan": {…}, "targets": [{…}]}'`. Each line on standard input is a JSON list of targets for connections
 * that are yet to be made; at the end of the input, or a SIGTERM, the load stops and its report is written as JSON.
 */
import { createInterface } from 'node:readline';
import { ClientFleet } from './client-fleet.ts';
import type { LoadPlan, LoadTarget } from './load-plan.ts';

const { plan, targets } = JSON.parse(process.argv[2] ?? '') as { plan: LoadPlan; targets: readonly LoadTarget[] };
const fleet = await ClientFleet.start(plan, targets);
process.stdout.write('{"started":true}\n');
const lines = createInterface({ input: process.stdin });
lines.on('line', (line) => fleet.choose(JSON.parse(line) as readonly LoadTarget[]));
await new Promise<void>((resolve) => {
  lines.once('close', resolve);
  process.once('SIGTERM', resolve);
});
process.stdout.write(`${JSON.stringify(await fleet.stop())}\n`);
process.exit();
