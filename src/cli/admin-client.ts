import { readFile } from 'node:fs/promises';
import { getJson, type JsonAnswer, type JsonRequest } from './get-json.ts';
import type { Terminal } from './terminal.ts';
import { UnreachableError } from './unreachable-error.ts';
import { UsageError } from './usage-error.ts';

const DEFAULT_ADDRESS = '127.0.0.1:9180';

export interface AdminOptions {
  readonly admin?: string;
  readonly adminTokenFile?: string;
}

/** Milliseconds in which an answer must begin that needs no waiting. */
const PATIENCE = 30_000;

/**
 * Asks a running weir, which may take `waitSeconds` longer than it would need by itself. Rejects with an UnreachableError
 * where no weir answers, or one that is at fault; with a UsageError where it refuses.
 */
export async function askAdmin(
  path: string,
  options: AdminOptions,
  terminal: Terminal,
  waitSeconds = 0,
  method: JsonRequest['method'] = 'GET',
): Promise<unknown> {
  const { address, status, statusText, body } = await reachAdmin(path, options, terminal, waitSeconds, method);
  if (typeof body !== 'object' || body === null) {
    throw new UnreachableError(
      `what answers at ${address} is not weir (${status}, and no JSON).`,
      'Give the admin address of a running weir with --admin; `weir run` logs it as `admin`.',
    );
  }
  if (status >= 200 && status < 300) return body;
  const { message = statusText } = body as { readonly message?: string };
  const answer = `weir at ${address} answers ${status}: ${message}`;
  if (status >= 500) throw new UnreachableError(answer, 'Try again, and look at its log.');
  throw new UsageError(answer);
}

/** Whether what Kubernetes would probe (`/readyz`, `/healthz`) answers well. Rejects with an UnreachableError where nothing answers. */
export async function probeAdmin(path: string, options: AdminOptions, terminal: Terminal): Promise<boolean> {
  return (await reachAdmin(path, options, terminal, 0, 'GET')).status === 200;
}

async function reachAdmin(
  path: string,
  options: AdminOptions,
  { environment }: Terminal,
  waitSeconds: number,
  method: JsonRequest['method'],
): Promise<JsonAnswer & { readonly address: string }> {
  const address = options.admin ?? environment.WEIR_ADMIN ?? environment.WEIR_ADMIN_ADDRESS ?? DEFAULT_ADDRESS;
  const place = placeOf(address);
  const tokenFile = options.adminTokenFile ?? environment.WEIR_ADMIN_TOKEN_FILE;
  const headers = tokenFile === undefined ? {} : { authorization: `Bearer ${await readToken(tokenFile)}` };
  const signal = AbortSignal.timeout(Math.ceil(PATIENCE + waitSeconds * 1000));
  try {
    const { base, ...socket } = place;
    return { address, ...(await getJson({ url: new URL(path, base), ...socket, method, headers }, signal)) };
  } catch (error) {
    const late = `nothing within ${Math.ceil(PATIENCE / 1000 + waitSeconds)} s`;
    const cause = signal.aborted ? late : ((error as NodeJS.ErrnoException).code ?? String(error));
    throw new UnreachableError(
      `no weir answers at ${address} (${cause}).`,
      'Start one with `weir run`, or give its address with --admin.',
      error,
      { silent: true },
    );
  }
}

/** Of `HOST:PORT`, a URL, or `unix:PATH`. */
function placeOf(address: string): { readonly base: string; readonly socketPath?: string } {
  if (address.startsWith('unix:') && address !== 'unix:')
    return { base: 'http://localhost', socketPath: address.slice('unix:'.length) };
  const base = address.includes('://') ? address : `http://${address}`;
  if (!URL.canParse(base))
    throw new UsageError(`--admin ${JSON.stringify(address)} is not an address.`, 'Give HOST:PORT or unix:PATH.');
  return { base };
}

/** The token in a file, without the newline that editors put at its end. */
export async function readToken(file: string): Promise<string> {
  let text: string;
  try {
    text = (await readFile(file, 'utf8')).trim();
  } catch (error) {
    throw new UsageError(
      `admin-token-file ${file} can't be read (${(error as NodeJS.ErrnoException).code}).`,
      'Give a file that holds the token.',
    );
  }
  if (text === '')
    throw new UsageError(
      `admin-token-file ${file} is empty.`,
      'Put a token into it, for example from `openssl rand -hex 32`.',
    );
  return text;
}
