import { createServer, type Server } from 'node:http';
import { recordChecksum } from '../records/record-text.ts';
import { MAX_CALL_BYTES } from '../wire.ts';

/** A data plane without nginx, for tests: keeps records as the control protocol says and refuses what it forbids. */
export class FakeControlServer {
  conf = 'conf-1';
  epoch = '';
  generation = 0;
  full = false;
  readonly records = new Map<string, Buffer>();
  /** Frames of each accepted call, as `P key`, `D key` or `S key`. */
  readonly calls: string[][] = [];
  /** A pattern that the engine fails at. */
  unable: string | undefined;
  /** Number of patterns of each call that was answered. */
  readonly asked: number[] = [];
  readonly #slices = new Map<string, Buffer[]>();
  readonly #token: string;
  readonly #server: Server;

  constructor(token: string) {
    this.#token = token;
    this.#server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const [status, body] = this.#answer(request.headers.authorization, request.url ?? '', Buffer.concat(chunks));
        response.writeHead(status).end(body);
      });
    });
  }

  listen(path: string): Promise<void> {
    return new Promise((resolve) => this.#server.listen(path, resolve));
  }

  close(): Promise<void> {
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  #answer(authorization: string | undefined, path: string, body: Buffer): readonly [number, string] {
    if (authorization !== `Bearer ${this.#token}`) return [401, ''];
    const url = new URL(path, 'http://control');
    switch (url.pathname) {
      case '/v1/state':
        return [200, this.#state()];
      case '/v1/records':
        return [200, [...this.records].map(([key, bytes]) => `${key} ${recordChecksum(bytes)}\n`).join('')];
      case '/v1/regex': {
        if (body.length > MAX_CALL_BYTES * 2) return [413, ''];
        const questions = JSON.parse(body.toString()) as { pattern: string }[];
        if (questions.some(({ pattern }) => pattern === this.unable)) return [500, ''];
        this.asked.push(questions.length);
        return [200, JSON.stringify(questions.map(({ pattern }) => compileError(pattern)))];
      }
      case '/v1/apply':
        return this.#apply(url.searchParams, body);
      default:
        return [404, ''];
    }
  }

  #state(): string {
    const { conf, epoch, generation } = this;
    return JSON.stringify({
      conf,
      epoch,
      generation,
      pid: 1,
      free: [1, 1],
      capacity: [2, 2],
      bad: {},
      counts: { authUndecided: 0, mirrorLost: 0 },
      lameDuck: false,
    });
  }

  #apply(query: URLSearchParams, body: Buffer): readonly [number, string] {
    const base = Number(query.get('base'));
    const sameEpoch = base === 0 || query.get('epoch') === this.epoch;
    if (query.get('conf') !== this.conf || !sameEpoch || (base !== 0 && base !== this.generation))
      return [409, this.#state()];
    if (body.length > MAX_CALL_BYTES) return [413, ''];
    if (this.full) return [507, ''];
    this.calls.push(this.#take(body));
    this.epoch = query.get('epoch') ?? '';
    this.generation = Number(query.get('generation'));
    return [200, ''];
  }

  #take(body: Buffer): string[] {
    const frames: string[] = [];
    let at = 0;
    while (at < body.length) {
      const end = body.indexOf(10, at);
      const [kind = '', key = '', ...numbers] = body.subarray(at, end).toString().split(' ');
      frames.push(`${kind} ${key}`);
      at = end + 1;
      if (kind === 'D') this.records.delete(key);
      if (kind === 'D') continue;
      const length = Number(numbers.at(-1));
      const bytes = Buffer.from(body.subarray(at, at + length));
      at += length + 1;
      if (kind === 'P') this.records.set(key, bytes);
      else this.#slice(key, Number(numbers[0]), Number(numbers[1]), bytes);
    }
    return frames;
  }

  #slice(key: string, index: number, total: number, bytes: Buffer): void {
    const slices = index === 0 ? [] : (this.#slices.get(key) ?? []);
    slices[index] = bytes;
    this.#slices.set(key, slices);
    if (index === total - 1) this.records.set(key, Buffer.concat(slices));
  }
}

function compileError(pattern: string): { error: string } | null {
  try {
    RegExp(pattern);
    return null;
  } catch {
    return { error: 'missing closing parenthesis' };
  }
}
