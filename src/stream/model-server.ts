import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Driver } from '../drivers/driver.ts';
import { CodedError } from '../lib/coded-error.ts';
import type { ModelDelta } from '../model/model.ts';
import { ChangeLog } from './change-log.ts';
import { LineChannel } from './line-channel.ts';
import {
  type ControllerMessage,
  type ErrorView,
  type PatternQuestion,
  type ProxyMessage,
  type SourceHealth,
  STREAM_VERSION,
} from './messages.ts';
import { type Listener, openListener } from './open-listener.ts';
import { RemoteProxy } from './remote-proxy.ts';
import type { StreamAddress } from './stream-address.ts';
import type { CredentialSource } from './tls/credentials.ts';

/** Milliseconds until a connection must have said hello. */
const INTRODUCTION = 10_000;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,252}$/;

export type StreamEvent =
  | { readonly event: 'connected'; readonly proxy: string; readonly peer: string; readonly message: string }
  | { readonly event: 'gone'; readonly proxy: string; readonly peer: string; readonly message: string }
  | { readonly event: 'refused'; readonly peer: string; readonly message: string };

/** What the server needs to know of, and tells to, the controller. */
export interface ModelServerHost {
  /** Whether there is a complete model; before that nobody gets anything. */
  synced(): boolean;
  health(): SourceHealth;
  add(driver: Driver): void;
  remove(name: string): void;
  reloaded(name: string, reason: string, detail: string): void;
  /** The driver is not as it was. */
  noted(name: string): void;
  /** Resolves to whether all that the source holds now is in force in this driver. */
  settle(name: string): Promise<boolean>;
}

export interface ModelServerOptions {
  readonly addresses: readonly StreamAddress[];
  readonly credentials?: CredentialSource;
  readonly software: string;
  /** Of this controller, for people. */
  readonly name: string;
  readonly host: ModelServerHost;
  readonly onEvent?: (event: StreamEvent) => void;
  readonly beatMs?: number;
  readonly patienceMs?: number;
}

interface Session {
  readonly proxy: RemoteProxy;
  readonly channel: LineChannel;
  readonly name: string;
  readonly instance: string;
}

/** Offers the model to proxies. Each that connects becomes a driver of the controller for as long as it stays. */
export class ModelServer {
  readonly #options: ModelServerOptions;
  /** Of this run: generations begin anew with each. */
  readonly #epoch = randomUUID();
  readonly #log = new ChangeLog();
  readonly #sessions = new Map<string, Session>();
  readonly #channels = new Set<LineChannel>();
  #listeners: readonly Listener[] = [];
  #questions = 0;

  constructor(options: ModelServerOptions) {
    this.#options = options;
  }

  /** Names of the proxies that are connected. */
  get connected(): readonly string[] {
    return [...this.#sessions.keys()];
  }

  async listen(): Promise<void> {
    const { addresses, credentials } = this.#options;
    const opened: Listener[] = [];
    try {
      for (const address of addresses) {
        opened.push(
          await openListener({
            address,
            credentials,
            onConnection: (socket, peer) => this.#welcome(socket, peer),
            onRefused: (peer, error) => this.#refused(peer, error.message),
          }),
        );
      }
    } catch (error) {
      await Promise.all(opened.map((listener) => listener.close()));
      throw error;
    }
    this.#listeners = opened;
  }

  /** The model moved; to be told before a driver learns of it. `delta` undefined: anything may have changed. */
  moved(generation: number, delta: ModelDelta | undefined): void {
    this.#log.add(generation, delta);
  }

  /** Has one of the proxies try a pattern. Rejects with a coded error where none can. */
  async match(question: PatternQuestion): Promise<object> {
    const [session] = this.#sessions.values();
    if (session === undefined)
      throw new CodedError('stream-no-proxy', 'no proxy is connected that could try the pattern');
    return session.proxy.match(question, ++this.#questions);
  }

  async close(): Promise<void> {
    const closing = this.#listeners.map((listener) => listener.close());
    for (const channel of this.#channels) channel.close();
    await Promise.all(closing);
  }

  #welcome(socket: Socket, peer: string): void {
    const { host, beatMs, patienceMs } = this.#options;
    let session: Session | undefined;
    const introduction = setTimeout(
      () => channel.close(new CodedError('stream-silent', 'it said nothing')),
      INTRODUCTION,
    ).unref();
    const channel: LineChannel = new LineChannel(socket, {
      beat: () => ({ health: host.health() }),
      ...(beatMs === undefined ? {} : { beatMs }),
      ...(patienceMs === undefined ? {} : { patienceMs }),
      onMessage: (message) => {
        if (session !== undefined) return session.proxy.take(message as ProxyMessage);
        clearTimeout(introduction);
        const met = this.#introduce(message as ProxyMessage, channel, peer);
        if ('proxy' in met) session = met;
        else {
          this.#say(channel, { type: 'refused', error: met });
          channel.close(undefined);
          this.#refused(peer, met.message);
        }
        return undefined;
      },
      onEnd: (error) => {
        clearTimeout(introduction);
        this.#channels.delete(channel);
        if (session !== undefined) this.#ended(session, peer, error);
        else if (error !== undefined) this.#refused(peer, error.message);
      },
    });
    this.#channels.add(channel);
  }

  /** An error: it is to be turned away. */
  #introduce(message: ProxyMessage, channel: LineChannel, peer: string): Session | ErrorView {
    const { host, software, name: controller } = this.#options;
    if (message.type !== 'hello' || message.weir !== 'model-stream') {
      return { code: 'stream-garbled', message: 'a proxy begins with hello' };
    }
    if (!message.versions.includes(STREAM_VERSION)) return versionsDiffer(message, software);
    if (!NAME.test(message.name)) {
      return { code: 'stream-name', message: `${JSON.stringify(message.name)} is no name of a proxy` };
    }
    if (!host.synced()) {
      return { code: 'stream-not-ready', message: `controller ${controller} has not read everything yet` };
    }
    const before = this.#sessions.get(`proxy/${message.name}`);
    if (before !== undefined && before.instance !== message.instance) {
      const other = `another proxy named ${message.name} is connected`;
      return { code: 'stream-name', message: other, remedy: 'Give each its own --proxy-name.' };
    }
    // The same one again: the connection before this is half dead, and doesn't know it yet.
    before?.channel.close(new CodedError('stream-replaced', 'it connected anew'));
    const name = `proxy/${message.name}`;
    const { have } = message;
    const session: Session = {
      name,
      channel,
      instance: message.instance,
      proxy: new RemoteProxy({
        name,
        channel,
        peer,
        log: this.#log,
        software: message.software,
        have: have?.epoch === this.#epoch ? have : undefined,
        onReload: (reason, detail) => host.reloaded(name, reason, detail),
        onReport: () => host.noted(name),
        onSettle: () => host.settle(name),
      }),
    };
    const epoch = this.#epoch;
    this.#say(channel, {
      type: 'welcome',
      weir: 'model-stream',
      version: STREAM_VERSION,
      software,
      controller,
      epoch,
      health: host.health(),
    });
    this.#sessions.set(name, session);
    this.#options.onEvent?.({ event: 'connected', proxy: name, peer, message: `${name} follows (${peer})` });
    host.add(session.proxy);
    return session;
  }

  #ended(session: Session, peer: string, error: Error | undefined): void {
    const { name, proxy } = session;
    if (this.#sessions.get(name) === session) {
      this.#sessions.delete(name);
      this.#options.host.remove(name);
    }
    proxy.end(error ?? new CodedError('stream-ended', `${name} has gone`));
    const why = error === undefined ? '' : `: ${error.message}`;
    this.#options.onEvent?.({ event: 'gone', proxy: name, peer, message: `${name} has gone${why}` });
  }

  #refused(peer: string, why: string): void {
    this.#options.onEvent?.({ event: 'refused', peer, message: `a connection from ${peer} was refused: ${why}` });
  }

  #say(channel: LineChannel, message: ControllerMessage): void {
    channel.send(message);
  }
}

function versionsDiffer(
  hello: { readonly versions: readonly number[]; readonly software: string },
  own: string,
): ErrorView {
  return {
    code: 'stream-version',
    message: `the controller (weir ${own}) speaks version ${STREAM_VERSION} of the model stream, the proxy (weir ${hello.software}) ${hello.versions.join(', ')}`,
    remedy: 'Run the same version of weir on both sides.',
  };
}
