import { WebSocketClient } from '../clients/websocket-client.ts';
import type { LoadPlan, LoadTarget } from './load-plan.ts';

const LOOK_MS = 20;

/** A WebSocket that is opened and left open, to see when it is closed. */
export class WatchedWebSocket {
  readonly #target: LoadTarget;
  readonly #socket: WebSocketClient;
  readonly #timer: NodeJS.Timeout;
  #closedAfter: number | undefined;

  private constructor(target: LoadTarget, socket: WebSocketClient, began: number) {
    this.#target = target;
    this.#socket = socket;
    this.#timer = setInterval(() => {
      if (socket.ended) this.#closedAfter ??= (performance.now() - began) / 1000;
    }, LOOK_MS).unref();
  }

  static async open({ host, path }: LoadPlan, target: LoadTarget, began: number): Promise<WatchedWebSocket> {
    return new WatchedWebSocket(
      target,
      await WebSocketClient.open(target.httpPort, host, path, undefined, target.address),
      began,
    );
  }

  report(): { readonly target: LoadTarget; readonly closedAfter?: number } {
    const closedAfter = this.#closedAfter;
    return { target: this.#target, ...(closedAfter === undefined ? {} : { closedAfter }) };
  }

  close(): void {
    clearInterval(this.#timer);
    this.#socket.close();
  }
}
