import type { ServerResponse } from 'node:http';
import type { Clock } from '../../../src/lib/clock.ts';
import { BodyWriter } from './body-writer.ts';
import type { Fault } from './fault.ts';
import type { ObjectStore } from './object-store.ts';
import type { RequestTarget } from './request-target.ts';
import { selectedEvent, selects } from './selector.ts';
import { type StatusFields, statusObject } from './status-object.ts';
import type { StoredChange, WatchEvent } from './stored-object.ts';
import { WatchStream } from './watch-stream.ts';

/**
 * How the server takes `sendInitialEvents`: as Kubernetes 1.32 and later; refused as one without the feature; with an etcd that has no
 * progress notices (200, then an error in the stream); not known at all, as before 1.27.
 */
export type WatchListSupport = 'full' | 'refused' | 'no-progress' | 'ignored';

interface OpenWatch {
  readonly target: RequestTarget;
  readonly stream: WatchStream;
  readonly bookmarks: boolean;
  readonly close: () => void;
}

/** Watches: from a version on, from now on, or with all that is there first. */
export class WatchRoute {
  watchList: WatchListSupport = 'full';
  readonly #store: ObjectStore;
  readonly #clock: Clock;
  readonly #open = new Set<OpenWatch>();

  constructor(store: ObjectStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  get open(): number {
    return this.#open.size;
  }

  answer(target: RequestTarget, response: ServerResponse, fault: Fault | undefined): StatusFields | undefined {
    const { query } = target;
    const initial = query.get('sendInitialEvents') === 'true';
    if (initial && (this.watchList === 'refused' || query.get('resourceVersionMatch') !== 'NotOlderThan')) {
      return {
        code: 422,
        message:
          'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled',
      };
    }
    const version = Number(query.get('resourceVersion') ?? '0');
    response.writeHead(200, { 'content-type': 'application/json' });
    response.flushHeaders();
    const stream = new WatchStream(new BodyWriter(response, fault), fault);
    const error = this.#refusalInStream(version);
    if (error !== undefined) {
      stream.send({ type: 'ERROR', object: statusObject(error) });
      stream.end();
      return undefined;
    }
    if (version === 0) this.#sendAll(target, stream);
    else for (const change of this.#store.since(target, version)) this.#sendChange(target, stream, change);
    if (initial && this.watchList === 'full')
      stream.send(this.#bookmark(target, { 'k8s.io/initial-events-end': 'true' }));
    this.#follow(target, stream, response);
    return undefined;
  }

  /** What a real server sends about once a minute. */
  sendBookmarks(): void {
    for (const { bookmarks, stream, target } of this.#open) {
      const future = Number(target.query.get('resourceVersion') ?? '0') > this.#store.version;
      if (bookmarks && !future) stream.send(this.#bookmark(target));
    }
  }

  endAll(): void {
    for (const watch of this.#open) watch.close();
  }

  #refusalInStream(version: number): StatusFields | undefined {
    if (version === 0) {
      return this.watchList === 'no-progress' ? { code: 500, message: 'RequestWatchProgress is disabled' } : undefined;
    }
    return version < this.#store.compacted
      ? { code: 410, reason: 'Expired', message: `too old resource version: ${version} (${this.#store.compacted})` }
      : undefined;
  }

  #follow(target: RequestTarget, stream: WatchStream, response: ServerResponse): void {
    // One from a version that is yet to come (the store was restored) hears nothing before it.
    const from = Number(target.query.get('resourceVersion') ?? '0');
    const forget = this.#store.listen(target, (change) => {
      if (change.version > from) this.#sendChange(target, stream, change);
    });
    const seconds = Number(target.query.get('timeoutSeconds') ?? '1800');
    const stopTimer = this.#clock.after(seconds * 1000, () => watch.close());
    const leave = (): void => {
      stopTimer();
      forget();
      this.#open.delete(watch);
    };
    const watch: OpenWatch = {
      target,
      stream,
      bookmarks: target.query.get('allowWatchBookmarks') === 'true',
      close: () => {
        leave();
        stream.end();
      },
    };
    this.#open.add(watch);
    response.once('close', leave);
  }

  #sendAll(target: RequestTarget, stream: WatchStream): void {
    for (const object of this.#store.list(target)) if (selects(target, object)) stream.send({ type: 'ADDED', object });
  }

  #sendChange(target: RequestTarget, stream: WatchStream, change: StoredChange): void {
    const event = selectedEvent(target, change);
    if (event !== undefined) stream.send(event);
  }

  #bookmark({ group, version }: RequestTarget, annotations?: Readonly<Record<string, string>>): WatchEvent {
    return {
      type: 'BOOKMARK',
      object: {
        kind: 'Bookmark',
        apiVersion: group === '' ? version : `${group}/${version}`,
        metadata: {
          resourceVersion: String(this.#store.version),
          ...(annotations === undefined ? {} : { annotations }),
        },
      },
    };
  }
}
