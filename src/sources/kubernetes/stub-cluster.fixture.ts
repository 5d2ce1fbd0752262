import { setImmediate as turn } from 'node:timers/promises';
import type { KubeClient, KubeRequest } from '../../kube/kube-client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import type { KubeObject } from '../../kube/kube-object.ts';
import type { KubeResource, ResourceScope } from '../../kube/kube-resource.ts';
import type { ReflectorSink } from '../../kube/reflector-sink.ts';
import type { StartWatch } from './object-watch.ts';

interface StubWatch {
  readonly resource: KubeResource;
  readonly scope: ResourceScope;
  readonly sink: ReflectorSink;
  synced: boolean;
  watching: boolean;
  known: Map<string, KubeObject>;
}

type Access = { readonly plural: string; readonly namespace: string | undefined; readonly name: string | undefined };

/** An API server as watches and single requests see it, without a network: tells what it holds when `settle` is awaited. */
export class StubCluster {
  readonly watches = new Set<StubWatch>();
  readonly requests: string[] = [];
  /** What isn't allowed. */
  forbids: (access: Access) => boolean = () => false;
  /** It doesn't answer. */
  away = false;
  readonly #objects = new Map<string, { readonly plural: string; readonly object: KubeObject }>();
  #version = 100;

  readonly startWatch: StartWatch = (resource, scope, sink) => {
    const watch = { resource, scope, sink, synced: false, watching: false, known: new Map() };
    this.watches.add(watch);
    sink.state({ state: 'listing' });
    return { stop: () => void this.watches.delete(watch) };
  };

  readonly client: KubeClient = {
    server: 'https://stub.example:6443',
    request: (request) => this.#request(request),
    stream: () => Promise.reject(new Error('the stub has no streams')),
    close: async () => undefined,
  };

  put(plural: string, namespace: string, name: string, body: Readonly<Record<string, unknown>> = {}): void {
    const { metadata, ...rest } = body as { metadata?: object };
    const key = `${plural}/${namespace}/${name}`;
    const uid = this.#objects.get(key)?.object.metadata.uid ?? `uid-${this.#version}`;
    const resourceVersion = String(++this.#version);
    const place = namespace === '' ? {} : { namespace };
    this.#objects.set(key, {
      plural,
      object: { metadata: { name, ...place, uid, resourceVersion, ...metadata }, ...rest },
    });
  }

  delete(plural: string, namespace: string, name: string): void {
    this.#version++;
    this.#objects.delete(`${plural}/${namespace}/${name}`);
  }

  /** Every watch tries, or goes on. */
  async settle(rounds = 1): Promise<void> {
    for (let round = 0; round < rounds; round++) {
      for (let more = true; more; ) {
        more = false;
        for (const watch of this.watches) more = this.#step(watch) || more;
        await turn();
        await turn();
      }
      const waiting = [...this.watches].filter(({ watching }) => !watching);
      for (const watch of waiting) this.#try(watch);
      await turn();
    }
  }

  /** `secrets shop/web-tls`, `ingresses *`: what is watched, sorted. */
  get watched(): readonly string[] {
    return [...this.watches]
      .map(({ resource, scope }) => {
        const name = /^metadata\.name=(.*)$/u.exec(scope.fieldSelector ?? '')?.[1];
        return `${resource.plural} ${scope.namespace ?? '*'}${name === undefined ? '' : `/${name}`}`;
      })
      .sort();
  }

  /** Whether the watch has anything new to tell. */
  #step(watch: StubWatch): boolean {
    if (!watch.watching) return false;
    const now = this.#matching(watch);
    const puts = [...now].filter(([key, object]) => watch.known.get(key) !== object);
    const gone = [...watch.known].filter(([key]) => !now.has(key));
    watch.known = now;
    if (puts.length + gone.length === 0) return false;
    watch.sink.changed([
      ...gone.map(([, object]) => ({ type: 'delete', object }) as const),
      ...puts.map(([, object]) => ({ type: 'put', object }) as const),
    ]);
    return true;
  }

  #try(watch: StubWatch): void {
    const error = this.#errorFor({
      plural: watch.resource.plural,
      namespace: watch.scope.namespace,
      name: nameIn(watch),
    });
    if (error !== undefined) {
      watch.sink.state({ state: 'waiting', error, forbidden: error.status === 403, retryIn: 1000 });
      return;
    }
    watch.watching = true;
    this.#step(watch);
    if (!watch.synced) watch.sink.synced();
    watch.synced = true;
    watch.sink.state({ state: 'watching' });
  }

  /** All watches end; each tries again at the next `settle`. */
  cut(): void {
    for (const watch of this.watches) watch.watching = false;
  }

  #errorFor(access: Access): KubeError | undefined {
    if (this.away) return new KubeError(`list ${access.plural}: connect ECONNREFUSED`);
    if (!this.forbids(access)) return undefined;
    const user = 'User "system:serviceaccount:weir:weir" cannot list resource';
    return new KubeError(`list ${access.plural}: forbidden: ${user} "${access.plural}"`, { status: 403 });
  }

  #matching({ resource, scope }: Pick<StubWatch, 'resource' | 'scope'>): Map<string, KubeObject> {
    const [field, value] = (scope.fieldSelector ?? '').split('=');
    return new Map(
      [...this.#objects]
        .filter(([, { plural, object }]) => {
          if (plural !== resource.plural) return false;
          if (scope.namespace !== undefined && object.metadata.namespace !== scope.namespace) return false;
          if (field === 'metadata.name' && object.metadata.name !== value) return false;
          return field !== 'type' || object['type'] === value;
        })
        .map(([key, { object }]) => [key, object]),
    );
  }

  async #request({ method, path, query = {} }: KubeRequest): Promise<unknown> {
    this.requests.push(`${method} ${path}`);
    const parts = path.split('/').slice(path.startsWith('/apis/') ? 4 : 3);
    const [namespace, rest] =
      parts[0] === 'namespaces' && parts.length > 2 ? [parts[1], parts.slice(2)] : [undefined, parts];
    const [plural = '', name] = rest;
    await turn();
    const { fieldSelector } = query as { fieldSelector?: string };
    const scope = {
      ...(namespace === undefined ? {} : { namespace }),
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
    const selected = /^metadata\.name=(.*)$/u.exec(fieldSelector ?? '')?.[1];
    const error = this.#errorFor({ plural, namespace, name: name ?? selected });
    if (error !== undefined) throw error;
    const resource = { group: '', version: 'v1', plural, kind: '', namespaced: true };
    const found = this.#matching({ resource, scope });
    if (name === undefined) return { metadata: { resourceVersion: String(this.#version) }, items: [...found.values()] };
    const object = found.get(`${plural}/${namespace}/${name}`);
    if (object === undefined) throw new KubeError('not found', { status: 404 });
    return object;
  }
}

function nameIn({ scope }: StubWatch): string | undefined {
  return /^metadata\.name=(.*)$/u.exec(scope.fieldSelector ?? '')?.[1];
}
