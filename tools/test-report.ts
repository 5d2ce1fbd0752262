import { relative } from 'node:path';
import type { EventData, run } from 'node:test';
import { finished } from 'node:stream/promises';
import { inspect } from 'node:util';
import pc from 'picocolors';

interface Failure {
  readonly where: string;
  readonly text: string;
}

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
  todo: number;
}

/** node:test's own sums, which come as diagnostics too. */
const NODES_OWN_DIAGNOSTIC = /^(tests|suites|pass|fail|cancelled|skipped|todo|duration_ms) [\d.]+$/;

const emptyTally = (): Tally => ({ passed: 0, failed: 0, skipped: 0, todo: 0 });

/** `12 passed, 0 failed`, and what was skipped or is still to be done where there is any. */
export function tallyText(tally: Tally): string {
  const parts = [`${tally.passed} passed`, `${tally.failed} failed`];
  if (tally.skipped > 0) parts.push(`${tally.skipped} skipped`);
  if (tally.todo > 0) parts.push(`${tally.todo} todo`);
  return parts.join(', ');
}

/** Counts what node:test reports, prints a line per file as it ends, and all failures, readable, at the end. */
export class TestReport {
  readonly #root: string;
  readonly #print: (line: string) => void;
  readonly #total = emptyTally();
  /** What each file wrote. */
  readonly #output = new Map<string, string>();
  /** What the tests of each file measured and told by `t.diagnostic`. */
  readonly #figures = new Map<string, string[]>();
  readonly #failures: Failure[] = [];
  readonly #skipped: string[] = [];
  readonly #startedAt = Date.now();

  constructor(root: string, print: (line: string) => void) {
    this.#root = root;
    this.#print = print;
  }

  /** A check that is not a test, such as the compiler's. It is shown, and counts only when it fails. */
  check(name: string, ok: boolean, output: string): void {
    this.#print(`${ok ? pc.green('ok  ') : pc.red('FAIL')} ${name}`);
    if (ok) return;
    this.#total.failed += 1;
    this.#failures.push({ where: name, text: output.trim() });
  }

  /** Resolves when the run has ended. */
  async follow(stream: ReturnType<typeof run>): Promise<void> {
    const heard = (data: EventData.TestStdout | EventData.TestStderr) => {
      this.#output.set(data.file, (this.#output.get(data.file) ?? '') + data.message);
    };
    stream
      .on('test:pass', (data) => this.#passed(data))
      .on('test:fail', (data) => this.#failed(data))
      .on('test:diagnostic', (data) => this.#told(data))
      .on('test:stdout', heard)
      .on('test:stderr', heard)
      .on('test:summary', (data) => {
        if (data.file !== undefined) this.#summed(data.file, data);
      });
    await finished(stream.resume());
  }

  /** Prints the failures and, as the last line, the sum. Whether all is well. */
  finish(): boolean {
    for (const { where, text } of this.#failures) {
      this.#print('');
      this.#print(pc.red(`✖ ${where}`));
      this.#print(text.replace(/^/gm, '    '));
    }
    if (this.#skipped.length > 0) {
      this.#print('');
      this.#print(pc.yellow('Skipped:'));
      for (const line of this.#skipped) this.#print(`    ${line}`);
    }
    const ran = this.#total.passed + this.#total.failed;
    this.#print('');
    if (ran === 0) {
      this.#print('No test ran.');
      this.#total.failed += 1;
    }
    this.#print(`${((Date.now() - this.#startedAt) / 1000).toFixed(1)} s`);
    this.#print(tallyText(this.#total));
    return this.#total.failed === 0;
  }

  #told({ file, message }: EventData.TestDiagnostic): void {
    if (file === undefined || NODES_OWN_DIAGNOSTIC.test(message)) return;
    this.#figures.set(file, [...(this.#figures.get(file) ?? []), message]);
  }

  #passed(data: EventData.TestPass): void {
    if (data.details.type === 'suite') return;
    // node:test reports a file as a test of its own only when no test was in it.
    if (data.name === data.file) {
      this.#failedFile(data.file, 'There is no test in this file.');
    } else if (data.skip !== undefined && data.skip !== false) {
      this.#total.skipped += 1;
      const why = typeof data.skip === 'string' && data.skip !== '' ? `: ${data.skip}` : '';
      this.#skipped.push(`${this.#place(data)} ${data.name}${why}`);
    } else if (data.todo !== undefined && data.todo !== false) {
      this.#total.todo += 1;
    } else {
      this.#total.passed += 1;
    }
  }

  #failed(data: EventData.TestFail): void {
    const error: unknown = data.details.error;
    const childFailed = (error as { failureType?: string } | undefined)?.failureType === 'subtestsFailed';
    const suite = data.details.type === 'suite';
    if (data.todo !== undefined && data.todo !== false) {
      if (!suite) this.#total.todo += 1;
    } else if (data.name === data.file) {
      const output = this.#output.get(data.file)?.trim() ?? '';
      this.#failedFile(data.file, output === '' ? errorText(error) : output);
    } else if (!(suite && childFailed)) {
      // A suite counts only for a failure of its own (a hook, say), not for that of a test in it.
      this.#total.failed += 1;
      if (!childFailed) this.#failures.push({ where: `${data.name}  (${this.#place(data)})`, text: errorText(error) });
    }
  }

  /** One that isn't summed up because no test of it ran. */
  #failedFile(file: string, text: string): void {
    this.#total.failed += 1;
    this.#failures.push({ where: this.#path(file), text });
    this.#print(`${pc.red('FAIL')} ${this.#path(file)}`);
  }

  #summed(file: string, { counts, duration_ms: milliseconds }: EventData.TestSummary): void {
    const tally = {
      passed: counts.passed,
      // Those that were cancelled, too.
      failed: counts.tests - counts.passed - counts.skipped - counts.todo,
      skipped: counts.skipped,
      todo: counts.todo,
    };
    const mark = tally.failed === 0 ? pc.green('ok  ') : pc.red('FAIL');
    this.#print(`${mark} ${this.#path(file)} ${pc.dim(`${tallyText(tally)} (${(milliseconds / 1000).toFixed(1)} s)`)}`);
    for (const figure of this.#figures.get(file) ?? []) this.#print(pc.dim(`     ${figure}`));
    const words = this.#output.get(file)?.trim() ?? '';
    if (tally.failed > 0 && words !== '') {
      this.#failures.push({ where: `output of ${this.#path(file)}`, text: words.split('\n').slice(-80).join('\n') });
    }
  }

  #path(file: string | undefined): string {
    return file === undefined ? 'unknown file' : relative(this.#root, file);
  }

  #place(data: { file?: string | undefined; line?: number | undefined }): string {
    return data.line === undefined ? this.#path(data.file) : `${this.#path(data.file)}:${data.line}`;
  }
}

function errorText(error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  if (cause instanceof Error) return cause.stack ?? cause.message;
  return typeof cause === 'string' ? cause : inspect(cause);
}
