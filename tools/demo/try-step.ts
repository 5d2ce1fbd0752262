import { execFile } from 'node:child_process';
import type { DemoStep } from './demo-steps.ts';

export interface TriedStep {
  readonly step: DemoStep;
  readonly output: string;
  /** What the output should have shown and didn't; undefined: all is as printed. */
  readonly missing: string | undefined;
}

/** Runs the command as a user's shell would, in the project's folder. */
export async function tryStep(step: DemoStep, cwd: string): Promise<TriedStep> {
  const output = await shellOutput(step.command, cwd);
  let from = 0;
  for (const text of step.shows) {
    const at = output.toLowerCase().indexOf(text.toLowerCase(), from);
    if (at < 0) return { step, output, missing: text };
    from = at + text.length;
  }
  return { step, output, missing: undefined };
}

function shellOutput(command: string, cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile('sh', ['-c', command], { cwd, timeout: 20_000, maxBuffer: 10_000_000 }, (error, stdout, stderr) => {
      resolve(error === null ? stdout : `${stdout}${stderr}\n(exit code ${String(error.code ?? error.signal)})`);
    });
  });
}
