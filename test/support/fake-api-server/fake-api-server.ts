import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { KubeConfig } from '../../../src/kube/kube-config.ts';
import { type Clock, SYSTEM_CLOCK } from '../../../src/lib/clock.ts';
import type { Scope } from '../scope.ts';
import type { Fault, FaultTarget } from './fault.ts';
import { ListRoute } from './list-route.ts';
import { ObjectStore } from './object-store.ts';
import { requestTarget, type RequestTarget } from './request-target.ts';
import { type StatusFields, statusObject } from './status-object.ts';
import { WatchRoute } from './watch-route.ts';
import { writeRoute } from './write-route.ts';

/** What was asked of the server, in order. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
}

/**
 * An API server over real HTTP on loopback: lists in pages, watches from a version, bookmarks, WatchList, selectors, writes, and
 * whatever goes wrong with them. Every resource exists, in every namespace, unless `absent` names its plural.
 */
export class FakeApiServer {
  readonly store = new ObjectStore();
  readonly lists: ListRoute;
  readonly watches: WatchRoute;
  readonly requests: SeenRequest[] = [];
  /** Plurals that answer 404, as a type whose CRD isn't there. */
  readonly absent = new Set<string>();
  /** Plurals that answer 403. */
  readonly forbidden = new Set<string>();
  /** Only these bearer tokens are known; undefined: anybody is. */
  tokens: ReadonlySet<string> | undefined;
  /** Asked for each request that reached a route. */
  fault: ((target: FaultTarget) => Fault | undefined) | undefined;
  readonly #server: Server;

  private constructor(clock: Clock) {
    this.lists = new ListRoute(this.store);
    this.watches = new WatchRoute(this.store, clock);
    this.#server = createServer((request, response) => {
      response.on('error', () => {});
      this.#answer(request, response).catch((error: unknown) => {
        response.destroy(error instanceof Error ? error : new Error(String(error)));
      });
    });
    this.#server.keepAliveTimeout = 60_000;
  }

  static async start(scope: Scope, { clock = SYSTEM_CLOCK }: { readonly clock?: Clock } = {}): Promise<FakeApiServer> {
    const fake = new FakeApiServer(clock);
    await fake.listen();
    scope.after(() => fake.stop());
    return fake;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  get config(): KubeConfig {
    return {
      from: 'a fake',
      cluster: { server: this.url, insecure: false },
      user: {},
      namespace: 'default',
      warnings: [],
    };
  }

  #port = 0;

  /** Again at the same port after `stop`, with all that was stored. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(this.#port, '127.0.0.1', resolve);
    });
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** As a process that is killed: every connection is reset. */
  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    this.requests.push({ method, url, headers });
    if (this.tokens !== undefined && !this.tokens.has((headers.authorization ?? '').replace('Bearer ', ''))) {
      return refuse(response, { code: 401, message: 'Unauthorized' });
    }
    const target = requestTarget(url);
    if (target === undefined) {
      return url.startsWith('/version')
        ? answer(response, 200, { gitVersion: 'v1.36.3-fake' })
        : refuse(response, { code: 404 });
    }
    const verb =
      method !== 'GET'
        ? 'write'
        : target.name !== undefined
          ? 'get'
          : target.query.get('watch') === 'true'
            ? 'watch'
            : 'list';
    const { group, plural, query } = target;
    const fault = this.fault?.({ verb, group, plural, query });
    if (await headFault(response, fault)) return undefined;
    const refused = this.#refused(target, verb) ?? (await this.#route(verb, method, target, request, response, fault));
    if (refused !== undefined) refuse(response, refused);
    return undefined;
  }

  async #route(
    verb: FaultTarget['verb'],
    method: string,
    target: RequestTarget,
    request: IncomingMessage,
    response: ServerResponse,
    fault: Fault | undefined,
  ): Promise<StatusFields | undefined> {
    if (verb === 'list') return this.lists.answer(target, response, fault);
    if (verb === 'watch') return this.watches.answer(target, response, fault);
    if (verb === 'get') {
      const object = this.store.get(target, `${target.namespace ?? ''}/${target.name}`);
      if (object === undefined) return { code: 404, message: `${target.plural} "${target.name}" not found` };
      answer(response, 200, object);
      return undefined;
    }
    const body = method === 'DELETE' ? undefined : await json(request);
    const { status, body: result } = writeRoute(this.store, method, target, body);
    answer(response, status, result);
    return undefined;
  }

  #refused({ plural }: RequestTarget, verb: string): StatusFields | undefined {
    if (this.absent.has(plural)) return { code: 404, message: 'the server could not find the requested resource' };
    if (!this.forbidden.has(plural)) return undefined;
    return {
      code: 403,
      message: `${plural} is forbidden: User "system:anonymous" cannot ${verb} resource "${plural}"`,
    };
  }
}

/** True: nothing more is answered. */
async function headFault(response: ServerResponse, fault: Fault | undefined): Promise<boolean> {
  switch (fault?.kind) {
    case 'status':
      refuse(response, fault.status);
      return true;
    case 'refused':
      response.socket?.resetAndDestroy();
      return true;
    case 'silent':
      return true;
    case 'empty':
      response.writeHead(200, { 'content-type': 'application/json' }).end();
      return true;
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, fault.milliseconds));
      return false;
    default:
      return false;
  }
}

function refuse(response: ServerResponse, status: StatusFields): void {
  const { code, retryAfterSeconds } = status;
  if (retryAfterSeconds !== undefined) response.setHeader('retry-after', String(retryAfterSeconds));
  answer(response, code, statusObject(status));
}

function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
