import { request } from 'node:http';
import { NginxError } from '../nginx-error.ts';
import type { DataPlaneCounts, DataPlaneState } from '../wire.ts';
import { regexBatches } from './regex-batches.ts';

export interface ApplyCall {
  readonly conf: string;
  readonly epoch: string;
  readonly base: number;
  readonly generation: number;
  readonly body: Buffer;
}

export type ApplyAnswer =
  | { readonly kind: 'in-force' }
  | { readonly kind: 'conflict'; readonly state: DataPlaneState }
  | { readonly kind: 'full' };

export interface RegexQuestion {
  readonly pattern: string;
  readonly ignoreCase: boolean;
  readonly subject?: string;
}

/** `error`: it doesn't compile. Otherwise undefined, or how it matched the subject. */
export type RegexAnswer = { readonly error?: string } & Readonly<Record<string, unknown>>;

/** What a call is answered with whose content is the fault: not understood, too large, failed at. */
const UNABLE: ReadonlySet<number> = new Set([400, 413, 500]);

/** Speaks to the data plane over its unix socket. Each call has a connection of its own: workers come and go. */
export class ControlClient {
  readonly #socketPath: string;
  readonly #token: string;
  readonly #timeout: number;

  /** `timeout`: milliseconds for a whole call. */
  constructor(socketPath: string, token: string, timeout = 10_000) {
    this.#socketPath = socketPath;
    this.#token = token;
    this.#timeout = timeout;
  }

  async state(): Promise<DataPlaneState> {
    const { status, body } = await this.#call('GET', '/v1/state');
    if (status !== 200) throw this.#unexpected('asked for its state', status, body);
    return parseState(body);
  }

  /** Checksums of the records in force, by key. */
  async records(): Promise<ReadonlyMap<string, string>> {
    const { status, body } = await this.#call('GET', '/v1/records');
    if (status !== 200) throw this.#unexpected('asked for its records', status, body);
    const records = new Map<string, string>();
    for (const line of body.split('\n')) {
      const space = line.lastIndexOf(' ');
      if (space > 0) records.set(line.slice(0, space), line.slice(space + 1));
    }
    return records;
  }

  async apply({ conf, epoch, base, generation, body }: ApplyCall): Promise<ApplyAnswer> {
    const query = new URLSearchParams({ conf, epoch, base: String(base), generation: String(generation) });
    const answer = await this.#call('POST', `/v1/apply?${query.toString()}`, body);
    if (answer.status === 200) return { kind: 'in-force' };
    if (answer.status === 409) return { kind: 'conflict', state: parseState(answer.body) };
    if (answer.status === 507) return { kind: 'full' };
    throw this.#unexpected('sent changes', answer.status, answer.body);
  }

  /** Makes each answer from now on the last of its connection (HTTP/1), or ends that. */
  async lameDuck(on: boolean): Promise<void> {
    const { status, body } = await this.#call('POST', `/v1/lame-duck?on=${on ? 1 : 0}`);
    if (status !== 200) throw this.#unexpected('told to let its clients go', status, body);
  }

  /** One answer per question, in their order. A question that can't be asked is answered with an error: it costs no other. */
  async regex(questions: readonly RegexQuestion[]): Promise<readonly RegexAnswer[]> {
    const { batches, refused } = regexBatches(questions);
    const answers = new Map<number, RegexAnswer>();
    for (const [place, error] of refused) answers.set(place, { error });
    for (const { places, texts } of batches) {
      const given = await this.#ask(texts);
      for (const [index, place] of places.entries()) answers.set(place, given[index] ?? {});
    }
    return questions.map((_, place) => answers.get(place) ?? {});
  }

  /** A call that the data plane can't take as it is, it takes in halves, down to the one question that is the cause. */
  async #ask(texts: readonly string[]): Promise<readonly RegexAnswer[]> {
    const { status, body } = await this.#call('POST', '/v1/regex', Buffer.from(`[${texts.join(',')}]`));
    if (UNABLE.has(status)) {
      if (texts.length === 1) return [{ error: `the engine can not be asked about it (${status})` }];
      const half = Math.ceil(texts.length / 2);
      return [...(await this.#ask(texts.slice(0, half))), ...(await this.#ask(texts.slice(half)))];
    }
    if (status !== 200) throw this.#unexpected('asked to compile regular expressions', status, body);
    const answers: unknown = JSON.parse(body);
    if (!Array.isArray(answers) || answers.length !== texts.length) {
      throw this.#unexpected('asked to compile regular expressions', status, body);
    }
    return answers.map((answer: unknown): RegexAnswer => (isRecord(answer) ? answer : {}));
  }

  #call(method: string, path: string, body?: Buffer): Promise<{ readonly status: number; readonly body: string }> {
    return new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${this.#token}`,
        host: 'control',
        connection: 'close',
        ...(body === undefined ? {} : { 'content-length': body.length }),
      };
      const fail = (cause: Error) => {
        const message = `The control socket of nginx did not answer ${method} ${path.replace(/\?.*/u, '')}: ${cause.message}. It is asked again.`;
        reject(new NginxError('WEIR_NGINX_CONTROL', message, { cause }));
      };
      const call = request({ socketPath: this.#socketPath, method, path, headers, agent: false }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('error', fail);
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() }));
      });
      call.setTimeout(this.#timeout, () => call.destroy(new Error(`no answer within ${this.#timeout} ms`)));
      call.on('error', fail);
      call.end(body);
    });
  }

  #unexpected(what: string, status: number, body: string): NginxError {
    const message = `nginx, ${what}, answered ${status}: ${body.slice(0, 200)}. The change is tried again.`;
    return new NginxError('WEIR_NGINX_CONTROL', message);
  }
}

function parseState(body: string): DataPlaneState {
  const value: unknown = JSON.parse(body);
  if (!isRecord(value)) throw new NginxError('WEIR_NGINX_CONTROL', 'The state of the data plane is not an object.');
  // An empty Lua table is written as an object.
  const bad = Array.isArray(value['bad']) ? value['bad'].filter(isBadRecord) : [];
  const pair = (name: string): [number, number] => {
    const list: unknown = value[name];
    return Array.isArray(list) ? [Number(list[0] ?? 0), Number(list[1] ?? 0)] : [0, 0];
  };
  return {
    conf: text(value['conf']),
    epoch: text(value['epoch']),
    generation: Number(value['generation'] ?? 0),
    pid: Number(value['pid'] ?? 0),
    free: pair('free'),
    capacity: pair('capacity'),
    bad,
    counts: countsOf(value['counts']),
    lameDuck: value['lameDuck'] === true,
  };
}

/** An nginx that an earlier weir left running has none. */
function countsOf(value: unknown): DataPlaneCounts {
  const counts = isRecord(value) ? value : {};
  return { authUndecided: Number(counts['authUndecided'] ?? 0), mirrorLost: Number(counts['mirrorLost'] ?? 0) };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isBadRecord(value: unknown): value is { key: string; error: string } {
  return isRecord(value) && typeof value['key'] === 'string' && typeof value['error'] === 'string';
}
