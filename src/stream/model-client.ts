import { randomUUID } from 'node:crypto';
import { CodedError } from '../lib/coded-error.ts';
import type { ModelTable } from '../model/model.ts';
import { type PartLine, restoreSecrets } from '../model/part-line.ts';
import { LineChannel } from './line-channel.ts';
import {
  type ControllerMessage,
  type PatternQuestion,
  type Position,
  type ProxyMessage,
  type SourceHealth,
  STREAM_VERSION,
} from './messages.ts';
import { openConnection } from './open-connection.ts';
import type { StreamAddress } from './stream-address.ts';
import type { CredentialSource } from './tls/credentials.ts';

/** Milliseconds between rounds over the addresses: the first, and at most. */
const FIRST_WAIT = 100;
const LONGEST_WAIT = 2000;
/** Milliseconds for which a controller that knows nothing new is kept, where there are others to ask. */
const STALE = 30_000;
const DIGESTS_A_MESSAGE = 1000;

/** Parts that belong together, whole. */
export interface Commit {
  readonly lines: readonly PartLine[];
  readonly number: number;
  readonly position: Position;
}

export interface ModelClientHost {
  /** What is held in full, if anything is. */
  have(): Position | undefined;
  digests(): Iterable<readonly [table: ModelTable, key: string, digest: string]>;
  /** Commits come in order; each is to be answered by `applied` or `failed`. */
  commit(commit: Commit): void;
  /** Connected, or no longer; or the controller's health is another. */
  noted(): void;
  match(question: PatternQuestion): Promise<object>;
}

export interface ModelClientOptions {
  /** Asked in this order; one that answers is kept. */
  readonly addresses: readonly { readonly text: string; readonly address: StreamAddress }[];
  readonly credentials?: CredentialSource;
  readonly software: string;
  /** Of this proxy. */
  readonly name: string;
  readonly onEvent?: (message: string, lost: boolean) => void;
  readonly beatMs?: number;
  readonly patienceMs?: number;
}

interface Connection {
  readonly channel: LineChannel;
  readonly text: string;
  /** Of the controller. */
  readonly name: string;
}

/** Follows the model stream of whichever controller answers, for ever. */
export class ModelClient {
  readonly #options: ModelClientOptions;
  readonly #host: ModelClientHost;
  readonly #instance = randomUUID();
  readonly #stop = new AbortController();
  readonly #settling = new Map<number, PromiseWithResolvers<boolean>>();
  #connection: Connection | undefined;
  #health: SourceHealth = { healthy: true, problems: [] };
  #unhealthySince: number | undefined;
  #problems: readonly string[] = ['no controller was reached yet'];
  #settles = 0;
  #conversations = 0;
  #lastHeard: number | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: ModelClientOptions, host: ModelClientHost) {
    this.#options = options;
    this.#host = host;
  }

  /** Where the controller is that is followed just now. */
  get controller(): string | undefined {
    const { name, text } = this.#connection ?? {};
    return name === undefined ? undefined : `${name} (${text})`;
  }

  /** How many times a controller was met: what was said to the one before has to be said again. */
  get conversations(): number {
    return this.#conversations;
  }

  /** Whether a controller is followed whose source is well. */
  get healthy(): boolean {
    return this.#connection !== undefined && this.#health.healthy;
  }

  /** Epoch seconds of the last message; undefined: none yet. */
  get lastHeard(): number | undefined {
    return this.#lastHeard;
  }

  problems(): readonly string[] {
    if (this.#connection === undefined) return this.#problems;
    return this.#health.problems.map((problem) => `controller ${this.#connection?.name}: ${problem}`);
  }

  start(): void {
    this.#running = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    this.#connection?.channel.close();
    await this.#running;
  }

  /** Says something to the controller; nothing where none is connected. */
  send(message: ProxyMessage): void {
    this.#connection?.channel.send(message);
  }

  /** Resolves to whether all that the controller's source holds is in force here. Rejects where no controller can be asked. */
  async settle(): Promise<boolean> {
    if (this.#connection === undefined) throw new CodedError('stream-ended', 'no controller is connected');
    const id = ++this.#settles;
    const asked = Promise.withResolvers<boolean>();
    this.#settling.set(id, asked);
    this.send({ type: 'settle', id });
    return asked.promise.finally(() => this.#settling.delete(id));
  }

  async #follow(): Promise<void> {
    let wait = FIRST_WAIT;
    while (!this.#stop.signal.aborted) {
      const problems: string[] = [];
      for (const { text, address } of this.#options.addresses) {
        if (this.#stop.signal.aborted) return;
        const began = performance.now();
        const { welcomed, error } = await this.#converse(text, address);
        if (this.#stop.signal.aborted) return;
        if (welcomed) wait = FIRST_WAIT;
        if (welcomed && performance.now() - began > 1000) problems.length = 0;
        problems.push(
          `${text}: ${error.message}${error instanceof CodedError && error.remedy ? ` ${error.remedy}` : ''}`,
        );
      }
      this.#problems = problems;
      this.#host.noted();
      await pause(wait * (0.5 + Math.random() / 2), this.#stop.signal);
      wait = Math.min(LONGEST_WAIT, wait * 2);
    }
  }

  /** Follows one controller until the connection ends. */
  async #converse(
    text: string,
    address: StreamAddress,
  ): Promise<{ readonly welcomed: boolean; readonly error: Error }> {
    const { credentials, name, software, beatMs, patienceMs } = this.#options;
    const ended = Promise.withResolvers<Error>();
    let welcomed = false;
    let error: Error;
    try {
      const socket = await openConnection(address, credentials, this.#stop.signal);
      let lines: PartLine[] = [];
      let epoch = '';
      const channel: LineChannel = new LineChannel(socket, {
        ...(beatMs === undefined ? {} : { beatMs }),
        ...(patienceMs === undefined ? {} : { patienceMs }),
        onEnd: (why) => ended.resolve(why ?? new CodedError('stream-ended', 'the controller has gone')),
        onMessage: (received) => {
          this.#lastHeard = Date.now() / 1000;
          const message = received as ControllerMessage;
          if (!welcomed) {
            epoch = this.#welcome(message, channel, text);
            welcomed = true;
          } else if ('put' in message || 'delete' in message) {
            restoreSecrets(message);
            lines.push(message);
          } else if (message.type === 'commit') {
            const whole = lines;
            lines = [];
            const position = { epoch, generation: message.generation };
            this.#host.commit({ lines: whole, number: message.commit, position });
          } else this.#take(message, channel);
        },
      });
      const have = this.#host.have();
      channel.send({
        type: 'hello',
        weir: 'model-stream',
        versions: [STREAM_VERSION],
        software,
        name,
        instance: this.#instance,
        ...(have === undefined ? {} : { have }),
      });
      error = await ended.promise;
    } catch (failure) {
      error = failure instanceof Error ? failure : new Error(String(failure));
    }
    this.#leave(welcomed, text, error);
    return { welcomed, error };
  }

  /** Answers with the controller's epoch; throws what it says where it refuses. */
  #welcome(message: ControllerMessage, channel: LineChannel, text: string): string {
    if (!('type' in message) || (message.type !== 'welcome' && message.type !== 'refused')) {
      throw new CodedError('stream-garbled', 'it is no controller of weir, or of another version');
    }
    if (message.type === 'refused') {
      const { code, message: why, remedy } = message.error;
      throw new CodedError(code, why, remedy === undefined ? {} : { remedy });
    }
    if (message.version !== STREAM_VERSION) {
      throw new CodedError(
        'stream-version',
        `the controller (weir ${message.software}) speaks version ${message.version} of the model stream, the proxy (weir ${this.#options.software}) ${STREAM_VERSION}`,
        { remedy: 'Run the same version of weir on both sides.' },
      );
    }
    this.#connection = { channel, text, name: message.controller };
    this.#conversations++;
    this.#noteHealth(message.health);
    this.#options.onEvent?.(`follows controller ${message.controller} (${text})`, false);
    this.#host.noted();
    return message.epoch;
  }

  #leave(welcomed: boolean, text: string, error: Error): void {
    this.#connection = undefined;
    this.#unhealthySince = undefined;
    for (const asked of this.#settling.values()) asked.reject(error);
    if (!welcomed || this.#stop.signal.aborted) return;
    this.#problems = [`${text}: ${error.message}`];
    this.#options.onEvent?.(`lost the controller at ${text}: ${error.message}. What is served goes on.`, true);
    this.#host.noted();
  }

  #take(message: Exclude<ControllerMessage, PartLine>, channel: LineChannel): void {
    switch (message.type) {
      case 'compare':
        void this.#sendDigests(channel);
        break;
      case 'settled':
        this.#settling.get(message.id)?.resolve(message.done);
        break;
      case 'match': {
        const { id, question } = message;
        void this.#host.match(question).then(
          (answer) => channel.send({ type: 'matched', id, answer }),
          (error: unknown) =>
            channel.send({ type: 'matched', id, error: { code: 'stream-match', message: (error as Error).message } }),
        );
        break;
      }
      case 'beat':
        if (message.health !== undefined) this.#noteHealth(message.health);
        this.#leaveStale(channel);
        break;
      default:
    }
  }

  async #sendDigests(channel: LineChannel): Promise<void> {
    let entries: (readonly [string, string])[] = [];
    let current: ModelTable = 'hosts';
    const flush = async (last: boolean) => {
      channel.send({ type: 'digests', table: current, entries, last });
      entries = [];
      await new Promise(setImmediate);
      await channel.drained();
    };
    for (const [table, key, digest] of this.#host.digests()) {
      if (entries.length > 0 && (table !== current || entries.length >= DIGESTS_A_MESSAGE)) await flush(false);
      if (!channel.isOpen) return;
      current = table;
      entries.push([key, digest]);
    }
    await flush(true);
  }

  #noteHealth(health: SourceHealth): void {
    const before = this.#health;
    this.#health = health;
    this.#unhealthySince = health.healthy ? undefined : (this.#unhealthySince ?? performance.now());
    if (before.healthy !== health.healthy || before.problems.join() !== health.problems.join()) this.#host.noted();
  }

  /** Another controller may still hear what this one doesn't. */
  #leaveStale(channel: LineChannel): void {
    if (this.#options.addresses.length < 2 || this.#unhealthySince === undefined) return;
    if (performance.now() - this.#unhealthySince < STALE) return;
    channel.close(new CodedError('stream-stale', 'its source has not been well for a while; another is asked'));
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
