import type { Command, Option } from 'commander';
import { buildProgram } from '../../src/cli/program.ts';
import { SERVING_COMMANDS } from '../../src/config/setting-commands.ts';
import { markdownTable } from './markdown.ts';

const INTRODUCTION = `# The command

<!-- Written by tools/generate-reference.ts from src/cli/program.ts. Don’t edit. -->

Data go to standard output, words to standard error. Colours are used on terminals only; \`NO_COLOR\` and \`FORCE_COLOR\` are honoured.

| Exit status | Meaning |
| --- | --- |
| 0 | All is well. |
| 1 | There are findings (\`check\`), or something isn’t as it should be (\`status\`: not ready, degraded, or something quarantined; with \`--wait\`: not everything in force in time; \`explain\`: the request reaches nobody). |
| 2 | Bad usage, or input that can’t be read. |
| 3 | The running weir that was asked for doesn’t answer, or there is no load balancer to be started. |
| 70 | A fault of weir itself. \`run\` leaves nginx serving: start it again, it takes over. Report the fault with what stands in the log. |`;

const NOTES: Readonly<Record<string, string>> = {
  run: `Every flag is a [setting](config.md). weir logs to standard error, as short lines on a terminal, otherwise as JSON lines.

On SIGTERM or SIGINT weir finishes the change under way, saves what is in force, and stops. nginx then finishes its requests and quits; with
\`--leave-nginx\` it goes on serving, and the next \`weir run\` on the same state directory takes it over (same nginx process, no request lost): that is how
to upgrade weir. A second signal doesn’t wait for nginx to finish. After \`kill -9\` nginx serves on, too.

A start first puts the last good model, saved in the state directory, in force, and then reads the manifests. A folder that is missing or unreadable leaves
that model in force; without a saved model it is exit status 2. A folder that is there and empty means that nothing is wanted.`,
  controller: `What \`weir run\` does up to the model. Proxies connect where \`--model-listen\` says, and get nothing before everything is read. See
[Controller and proxy apart](../guide/controller-and-proxy-apart.md).`,
  proxy: `What \`weir run\` does from the model on. Without a controller it serves the model that it saved last; signals, the state directory and
\`--leave-nginx\` mean the same as for \`run\`.`,
  check: `\`-o sarif\` is SARIF 2.1.0, \`-o github\` are workflow commands. nginx, if it is installed, compiles the regular expressions and tests the configuration, without opening a
port. A finding has the same fields everywhere: see [the admin API](admin-api.md#finding).`,
  explain: `Without \`-f\`, the running weir at \`--admin\` is asked, and nginx itself tries regular expressions. With \`-f\` they are tried by JavaScript’s engine, and the answer
says so where it mattered.`,
  status: `\`--wait\` returns when what the sources hold now is in force in every driver.`,
};

/** docs/reference/cli.md */
export async function cliPage(): Promise<string> {
  const terminal = { out: process.stderr, err: process.stderr, environment: {} };
  const program = await buildProgram(terminal, () => undefined, SERVING_COMMANDS);
  return `${[INTRODUCTION, ...program.commands.map(section)].join('\n\n')}\n`;
}

function section(command: Command): string {
  const usage = `\`weir ${command.name()} ${command.usage()}\``;
  const description = command.description();
  const rows = command.options.map((option) => [
    `\`${option.flags.replace('<path...>', '<path>')}\``,
    explained(option),
  ]);
  const note = NOTES[command.name()];
  return [
    `## weir ${command.name()}`,
    `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    usage,
    ...(rows.length === 0 ? [] : [markdownTable(['Flag', 'Meaning'], rows)]),
    ...(note === undefined ? [] : [note]),
  ].join('\n\n');
}

function explained({ description, argChoices, defaultValue, mandatory }: Option): string {
  const choices = argChoices === undefined ? '' : ` (${argChoices.join(', ')})`;
  const byDefault = defaultValue === undefined ? '' : ` Default: \`${String(defaultValue)}\`.`;
  const text = `${description}${choices}`.replaceAll('<', '\\<');
  return `${text}${text.endsWith('.') || text.endsWith(')') ? '' : '.'}${byDefault}${mandatory ? ' Required.' : ''}`;
}
