/** A process of its own: sends requests at a steady rate and holds the backends that answer them, so that a busy test slows neither. */
import { startBackends } from '../../support/backends/echo-backend.ts';
import type { LoadAnswer, LoadCommand } from './load-message.ts';
import { LoadRun } from './load-run.ts';

const tell = (answer: LoadAnswer) => process.send?.(answer);
let run: LoadRun | undefined;

process.on('message', (command: LoadCommand) => {
  if (command.type === 'start') run = new LoadRun(command);
  else if (command.type === 'report') tell({ type: 'report', report: run!.report() });
  else void run?.stop().then((report) => tell({ type: 'report', report }));
});
// A test that ended without saying goodbye takes its load with it.
process.on('disconnect', () => process.exit());

const backends = await startBackends({ after: () => undefined }, 2, 'steady');
tell({ type: 'backends', endpoints: backends.map(({ address, port }) => ({ address, port })) });
