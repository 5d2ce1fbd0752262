import { type Clock, SYSTEM_CLOCK } from '../lib/clock.ts';
import {
  EVENTS,
  eventChange,
  eventMessage,
  eventName,
  eventNamespace,
  type EventNote,
  eventObject,
  type EventSpan,
} from './event.ts';
import type { KubeClient } from './kube-client.ts';
import { KubeError } from './kube-error.ts';
import { resourcePath } from './kube-resource.ts';
import type { RbacRule } from './rbac-rule.ts';
import { TokenBucket } from './token-bucket.ts';
import { drained, WriteQueue } from './write-queue.ts';

/** In every namespace whose objects are served. */
export const EVENT_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: [''],
    resources: ['events'],
    verbs: ['create', 'get', 'patch'],
    why: 'Says at the object what is wrong with it, where `kubectl describe` shows it; `get` and `patch` go on with an Event that is there already instead of making another.',
  },
];

/** `limited`: too many about one object; `dropped`: too many altogether, or the server was away for too long. */
export type EventResult = 'created' | 'repeated' | 'limited' | 'dropped' | 'failed';

export interface EventRecorderOptions {
  readonly client: Pick<KubeClient, 'request'>;
  /** `weir.dev/ingress-controller` */
  readonly controller: string;
  /** Name of the pod, or what else tells one weir from another. */
  readonly instance: string;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onResult?: (result: EventResult) => void;
  /** Events can't be written, and why; undefined: they can again. */
  readonly onProblem?: (problem: Error | undefined) => void;
}

interface Waiting {
  readonly note: EventNote;
  readonly first: Date;
  count: number;
  last: Date;
}

/** Events of one object at once, and then one in five minutes. */
const OBJECT_BURST = 25;
const OBJECT_PER_SECOND = 1 / 300;
/** Of all together. */
const BURST = 100;
const PER_SECOND = 25;
const PARALLEL = 4;
const MOST_WAITING = 4000;
/** Normal Events leave this part of the room to warnings. */
const NORMAL_SHARE = 0.5;
/** Events and objects that are remembered. */
const MOST_REMEMBERED = 8000;
const MOST_ATTEMPTS = 5;
/** Milliseconds for which nothing is tried where the right is missing. */
const WITHOUT_RIGHT = 60_000;

/** Writes core/v1 Events. Never waits and never throws: what can't be written in time is dropped and counted. */
export class EventRecorder {
  readonly #options: EventRecorderOptions;
  readonly #clock: Clock;
  readonly #queue: WriteQueue;
  readonly #waiting = new Map<string, Waiting>();
  /** How often each Event that is there was said; the one used least recently is first. */
  readonly #written = new Map<string, Pick<EventSpan, 'count'>>();
  readonly #objects = new Map<string, TokenBucket>();
  /** Namespace → until when it isn't tried again. */
  readonly #forbidden = new Map<string, number>();
  #stopped = false;
  /** The last one was refused for good. */
  #refusing = false;

  constructor(options: EventRecorderOptions) {
    this.#options = options;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#queue = new WriteQueue({
      parallel: PARALLEL,
      pace: new TokenBucket(BURST, PER_SECOND, this.#clock.now()),
      clock: this.#clock,
      ...(options.random === undefined ? {} : { random: options.random }),
      write: (name, signal) => this.#write(name, signal),
      onRefused: (name, error, attempt) => this.#refused(name, error, attempt),
      ...(options.onProblem === undefined ? {} : { onAway: options.onProblem }),
    });
  }

  /** Says it; a repetition is counted in the same Event. False: it is not going to be written. */
  record(note: EventNote): boolean {
    const said = { ...note, message: eventMessage(note.message) };
    const name = eventName(said, this.#options.controller);
    const date = this.#clock.date();
    const waiting = this.#waiting.get(name);
    if (waiting !== undefined) {
      waiting.count++;
      waiting.last = date;
      return true;
    }
    const room = MOST_WAITING * (note.type === 'Normal' ? NORMAL_SHARE : 1);
    if (this.#stopped || this.#waiting.size >= room || this.#isForbidden(eventNamespace(note.subject))) {
      return this.#lost('dropped');
    }
    if (!this.#bucket(note.subject.uid).take(this.#clock.now())) return this.#lost('limited');
    this.#waiting.set(name, { note: said, count: 1, first: date, last: date });
    this.#queue.add(name);
    return true;
  }

  /** Events that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Drops what waits: this process has no say any more. */
  clear(): void {
    this.#queue.clear();
    this.#waiting.clear();
  }

  /** Writes what waits, for at most two seconds, and takes no more. */
  async stop(): Promise<void> {
    this.#stopped = true;
    await drained(this.#queue, 2000, this.#clock);
    this.#waiting.forEach(() => this.#lost('dropped'));
    this.clear();
  }

  async #write(name: string, signal: AbortSignal): Promise<void> {
    const waiting = this.#waiting.get(name);
    if (waiting === undefined) return;
    // What is said from here on is another repetition.
    this.#waiting.delete(name);
    try {
      const written = this.#written.get(name);
      if (written === undefined || !(await this.#repeat(name, waiting, written.count, signal))) {
        await this.#create(name, waiting, signal);
      }
    } catch (error) {
      const since = this.#waiting.get(name);
      if (!signal.aborted) {
        this.#waiting.set(name, {
          ...waiting,
          count: waiting.count + (since?.count ?? 0),
          last: since?.last ?? waiting.last,
        });
      }
      throw error;
    }
  }

  async #create(name: string, waiting: Waiting, signal: AbortSignal): Promise<void> {
    const { note, count } = waiting;
    const namespace = eventNamespace(note.subject);
    try {
      const body = eventObject(note, name, waiting, this.#options);
      await this.#request({ method: 'POST', path: resourcePath(EVENTS, namespace), body, signal });
      this.#remember(name, count, 'created');
    } catch (error) {
      if (!(error instanceof KubeError && error.status === 409)) throw error;
      // From an earlier process, or a request of ours whose answer was lost.
      const there = await this.#request({ method: 'GET', path: resourcePath(EVENTS, namespace, name), signal });
      await this.#repeat(name, waiting, countOf(there), signal);
    }
  }

  /** False: it isn't there any more; Events live for an hour. */
  async #repeat(name: string, waiting: Waiting, before: number, signal: AbortSignal): Promise<boolean> {
    const count = before + waiting.count;
    const path = resourcePath(EVENTS, eventNamespace(waiting.note.subject), name);
    const contentType = 'application/merge-patch+json';
    try {
      await this.#request({
        method: 'PATCH',
        path,
        contentType,
        body: eventChange({ count, last: waiting.last }),
        signal,
      });
    } catch (error) {
      if (!(error instanceof KubeError && error.status === 404)) throw error;
      this.#written.delete(name);
      return false;
    }
    this.#remember(name, count, 'repeated');
    return true;
  }

  #request(request: Parameters<KubeClient['request']>[0]): Promise<unknown> {
    return this.#options.client.request({ ...request, timeout: 10_000 });
  }

  #refused(name: string, error: unknown, attempt: number): number | undefined {
    const waiting = this.#waiting.get(name);
    const status = error instanceof KubeError ? error.status : undefined;
    const lasting = status === 403 || status === 404 || status === 422 || status === 400;
    if (waiting !== undefined && !lasting && attempt < MOST_ATTEMPTS) return 1000 * 2 ** attempt;
    this.#waiting.delete(name);
    // 404: its namespace is gone. 403 comes also from one that is going, where nobody may make anything.
    const going = status === 404 || (status === 403 && /being terminated/.test(String(error)));
    if (status === 403 && !going && waiting !== undefined) {
      this.#forbidden.set(eventNamespace(waiting.note.subject), this.#clock.now() + WITHOUT_RIGHT);
    }
    if (!going) {
      this.#refusing = true;
      this.#options.onProblem?.(problemOf(error, status));
    }
    this.#lost(going ? 'dropped' : 'failed');
    return undefined;
  }

  #isForbidden(namespace: string): boolean {
    const until = this.#forbidden.get(namespace);
    if (until === undefined) return false;
    if (this.#clock.now() < until) return true;
    this.#forbidden.delete(namespace);
    return false;
  }

  #bucket(uid: string): TokenBucket {
    const bucket = this.#objects.get(uid) ?? new TokenBucket(OBJECT_BURST, OBJECT_PER_SECOND, this.#clock.now());
    keep(this.#objects, uid, bucket);
    return bucket;
  }

  #remember(name: string, count: number, result: EventResult): void {
    keep(this.#written, name, { count });
    if (this.#refusing) this.#options.onProblem?.(undefined);
    this.#refusing = false;
    this.#options.onResult?.(result);
  }

  #lost(result: EventResult): false {
    this.#options.onResult?.(result);
    return false;
  }
}

function problemOf(error: unknown, status: number | undefined): Error {
  if (status !== 403) return error instanceof Error ? error : new Error(String(error));
  const remedy =
    'Allow the verbs create, get and patch on events; until then findings are shown by `weir status` only.';
  return new Error(`${(error as Error).message}. ${remedy}`, { cause: error });
}

function countOf(event: unknown): number {
  const { count } = (event ?? {}) as { readonly count?: unknown };
  return typeof count === 'number' ? count : 1;
}

/** As the newest; the oldest goes when there are too many. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key);
  map.set(key, value);
  if (map.size <= MOST_REMEMBERED) return;
  const [oldest] = map.keys();
  if (oldest !== undefined) map.delete(oldest);
}
