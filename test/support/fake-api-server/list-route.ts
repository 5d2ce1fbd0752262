import type { ServerResponse } from 'node:http';
import type { KubeObject } from '../../../src/kube/kube-object.ts';
import { BodyWriter } from './body-writer.ts';
import type { Fault } from './fault.ts';
import type { ObjectStore } from './object-store.ts';
import type { RequestTarget } from './request-target.ts';
import { selects } from './selector.ts';
import { type StatusFields } from './status-object.ts';

interface Snapshot {
  readonly version: number;
  readonly objects: readonly KubeObject[];
}

/** Lists in pages: all pages of one list show the objects as they were when it began. */
export class ListRoute {
  readonly #store: ObjectStore;
  readonly #snapshots = new Map<string, Snapshot>();
  #next = 1;

  constructor(store: ObjectStore) {
    this.#store = store;
  }

  /** Continue tokens given so far are too old from now on. */
  expireTokens(): void {
    this.#snapshots.clear();
  }

  answer(target: RequestTarget, response: ServerResponse, fault: Fault | undefined): StatusFields | undefined {
    const { query } = target;
    const token = query.get('continue');
    const [id = '', from = '0'] = (token ?? '').split(':');
    const snapshot = token ? this.#snapshots.get(id) : this.#begin(target);
    if (snapshot === undefined) return { code: 410, message: 'The provided continue parameter is too old' };
    const wanted = Number(query.get('resourceVersion') ?? '0');
    if (wanted > this.#store.version) {
      return {
        code: 504,
        message: 'Too large resource version',
        retryAfterSeconds: 1,
        causes: ['ResourceVersionTooLarge'],
      };
    }
    const limit = Number(query.get('limit') ?? '0') || Number.POSITIVE_INFINITY;
    const start = Number(from);
    const items = snapshot.objects.slice(start, start + limit);
    const left = snapshot.objects.length - start - items.length;
    const name = token ? id : this.#keep(snapshot);
    response.writeHead(200, { 'content-type': 'application/json' });
    const writer = new BodyWriter(response, fault);
    if (fault?.kind === 'garbage') writer.write('{"items":[}');
    writer.write(
      JSON.stringify({
        kind: 'List',
        apiVersion: target.group === '' ? target.version : `${target.group}/${target.version}`,
        metadata: {
          resourceVersion: String(snapshot.version),
          ...(left === 0 ? {} : { continue: `${name}:${start + items.length}`, remainingItemCount: left }),
        },
        // As a real server: items of a typed list don't repeat what they are.
        items: items.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item),
      }),
    );
    writer.end();
    return undefined;
  }

  #begin(target: RequestTarget): Snapshot {
    return {
      version: this.#store.version,
      objects: this.#store.list(target).filter((object) => selects(target, object)),
    };
  }

  #keep(snapshot: Snapshot): string {
    const id = String(this.#next++);
    this.#snapshots.set(id, snapshot);
    return id;
  }
}
