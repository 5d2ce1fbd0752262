import type { ReflectorState } from '../../kube/reflector-sink.ts';
import type { SourceActivity } from '../source.ts';
import type { WatchedKind } from './watched-kinds.ts';

/** What the watches of a source did so far, by resource: for metrics. */
export class WatchCounts {
  readonly #byResource = new Map<string, { lists: number; watches: number; failures: number; objects: number }>();

  state({ resource }: WatchedKind, { state }: ReflectorState): void {
    const counts = this.#of(resource.plural);
    if (state === 'listing') counts.lists++;
    else if (state === 'watching') counts.watches++;
    else counts.failures++;
  }

  /** So many objects more are known of. */
  hold({ resource }: WatchedKind, more: number): void {
    this.#of(resource.plural).objects += more;
  }

  all(): readonly SourceActivity[] {
    return [...this.#byResource].map(([resource, counts]) => ({ resource, ...counts }));
  }

  #of(resource: string) {
    const known = this.#byResource.get(resource) ?? { lists: 0, watches: 0, failures: 0, objects: 0 };
    this.#byResource.set(resource, known);
    return known;
  }
}
