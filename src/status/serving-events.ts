import type { EventNote, EventSubject } from '../kube/event.ts';
import { compareText } from '../lib/text-order.ts';
import { PROGRAMMED } from './event-reason.ts';

const MOST_HOSTS = 10;

/**
 * Says at an Ingress that it is in force, when it is so for the first time and when its hosts change. What was in force before
 * this process began is not said again: a restart beside 5,000 Ingresses is no news.
 */
export class ServingEvents {
  readonly #record: (note: EventNote) => boolean;
  /** Ingress → uid and hosts, as they were in force last. */
  readonly #known = new Map<string, string>();
  #leading = false;

  constructor(record: (note: EventNote) => boolean) {
    this.#record = record;
  }

  leading(leading: boolean): void {
    this.#leading = leading;
  }

  /** `news`: it came into being, or its hosts were changed, since this process knows what there is. */
  inForce(key: string, subject: EventSubject, hosts: readonly string[], news: boolean): void {
    const ordered = [...hosts].sort(compareText);
    const now = `${subject.uid} ${ordered.join(' ')}`;
    const before = this.#known.get(key);
    this.#known.set(key, now);
    if (before === now || !news || !this.#leading) return;
    this.#record({ subject, type: 'Normal', reason: PROGRAMMED, message: servedText(ordered) });
  }

  gone(key: string): void {
    this.#known.delete(key);
  }
}

function servedText(hosts: readonly string[]): string {
  if (hosts.length === 0) return 'In force. It has no rules and no default backend, so it serves no host.';
  const named = hosts.slice(0, MOST_HOSTS).map((host) => (host === '*' ? 'any other host' : host));
  const more = hosts.length > MOST_HOSTS ? ` and ${hosts.length - MOST_HOSTS} more` : '';
  return `In force for ${named.join(', ')}${more}.`;
}
