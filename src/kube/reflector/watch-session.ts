import type { Clock } from '../../lib/clock.ts';
import type { KubeClient, KubeRequest } from '../kube-client.ts';
import { KubeError } from '../kube-error.ts';
import { type KubeResource, type ResourceScope, resourcePath } from '../kube-resource.ts';
import { SilenceGuard } from './silence-guard.ts';
import { readWatchEvent, type WatchEvent } from './watch-event.ts';

const HEAD_TIMEOUT_MS = 30_000;
/** A server ends a watch at its time; one that hasn't for so long is gone. */
const MARGIN_MS = 30_000;
/** While all that exists is sent there are no pauses of this length. */
const INITIAL_PATIENCE_MS = 30_000;

export interface WatchSessionOptions {
  readonly client: Pick<KubeClient, 'stream'>;
  readonly resource: KubeResource;
  readonly scope: ResourceScope;
  readonly clock: Clock;
  /** Go on after this version; undefined: begin with all that is there. */
  readonly from: string | undefined;
  readonly timeoutSeconds: number;
  readonly signal: AbortSignal;
}

/** One watch, from its request to its end. */
export class WatchSession {
  readonly #options: WatchSessionOptions;
  readonly #request: KubeRequest;
  readonly #abort = new AbortController();
  #silent: KubeError | undefined;
  #initial: boolean;
  #opened = false;
  #guard: SilenceGuard | undefined;

  constructor(options: WatchSessionOptions) {
    const { resource, scope, from, timeoutSeconds } = options;
    this.#options = options;
    this.#initial = from === undefined;
    this.#request = {
      method: 'GET',
      path: resourcePath(resource, scope.namespace),
      query: {
        watch: true,
        fieldSelector: scope.fieldSelector,
        labelSelector: scope.labelSelector,
        allowWatchBookmarks: true,
        timeoutSeconds,
        resourceVersion: from,
        ...(from === undefined ? { sendInitialEvents: true, resourceVersionMatch: 'NotOlderThan' } : {}),
      },
      // Timed here, by this clock.
      timeout: 2 * HEAD_TIMEOUT_MS,
      signal: this.#abort.signal,
    };
  }

  /**
   * The events, until the server ends the watch. Throws KubeErrors: the server's word, a connection that broke or fell silent.
   * `opened`: the server has taken the request.
   */
  async *events(opened: () => void): AsyncGenerator<WatchEvent> {
    const { client, clock, signal } = this.#options;
    const stop = (): void => this.abort();
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop);
    try {
      this.#guard = new SilenceGuard(clock, this.#patience, () => this.#fellSilent());
      const documents = await client.stream(this.#request);
      this.#opened = true;
      this.#guard.heard();
      this.#guard.patience = this.#patience;
      opened();
      for await (const document of documents) {
        this.#guard.heard();
        yield readWatchEvent(this.#request, document);
      }
    } catch (error) {
      throw this.#silent ?? error;
    } finally {
      this.#guard?.stop();
      signal.removeEventListener('abort', stop);
      // Whatever is left of it: a stream that nobody reads would hold its connection.
      this.#abort.abort();
    }
    if (this.#silent !== undefined) throw this.#silent;
  }

  /** All that was there has come: from now on long silence is usual. */
  initialOver(): void {
    this.#initial = false;
    if (this.#guard !== undefined) this.#guard.patience = this.#patience;
  }

  abort(): void {
    this.#abort.abort();
  }

  get #patience(): number {
    if (!this.#opened) return HEAD_TIMEOUT_MS;
    return this.#initial ? INITIAL_PATIENCE_MS : this.#options.timeoutSeconds * 1000 + MARGIN_MS;
  }

  #fellSilent(): void {
    const seconds = this.#patience / 1000;
    const what = !this.#opened
      ? 'the server does not answer'
      : this.#initial
        ? 'the server does not come to the end of what is there'
        : 'the connection is dead';
    this.#silent = new KubeError(`watch ${this.#options.resource.plural}: nothing came for ${seconds} s: ${what}`);
    this.#abort.abort();
  }
}
