import { spawn } from 'node:child_process';
import { ClusterError } from '../cluster-error.ts';

export interface ToolOptions {
  readonly cwd?: string;
  /** Added to this program's own. */
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly timeoutMs?: number;
  /** Called with each piece of stderr. */
  readonly onStderr?: (text: string) => void;
}

export interface ToolResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs a program to its end; its stdout. A ClusterError with the end of its output if it fails. */
export async function runTool(command: string, args: readonly string[], options: ToolOptions = {}): Promise<string> {
  const result = await tryTool(command, args, options);
  if (result.code === 0) return result.out;
  const said = `${result.out}\n${result.err}`.trim().split('\n').slice(-15).join('\n');
  throw new ClusterError(`${command} ${args.join(' ')} ended with ${result.code ?? 'a signal'}:\n${said}`);
}

/** Runs a program to its end, whatever that is. Rejects only if it can't be started. */
export function tryTool(command: string, args: readonly string[], options: ToolOptions = {}): Promise<ToolResult> {
  const child = spawn(command, args, {
    stdio: 'pipe',
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    env: { ...process.env, ...options.env },
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs, killSignal: 'SIGKILL' }),
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    options.onStderr?.(text);
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', (error) => reject(new ClusterError(`${command} can't be started: ${error.message}`)));
    child.once('close', (code) => resolve({ code, out, err }));
  });
}
