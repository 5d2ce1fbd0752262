import type { KubeClient } from '../kube-client.ts';

/** Whether a server can begin a watch with all that is there. Learnt once for all reflectors of a client. */
export class WatchListSupport {
  static readonly #ofClients = new WeakMap<object, WatchListSupport>();

  #refused = false;

  static of(client: Pick<KubeClient, 'stream'>): WatchListSupport {
    const support = WatchListSupport.#ofClients.get(client) ?? new WatchListSupport();
    WatchListSupport.#ofClients.set(client, support);
    return support;
  }

  get supported(): boolean {
    return !this.#refused;
  }

  refused(): void {
    this.#refused = true;
  }
}
