import type { KubeClient, KubeRequest } from '../../src/kube/kube-client.ts';
import { KubeError } from '../../src/kube/kube-error.ts';

type Json = Readonly<Record<string, unknown>>;
interface Stored extends Json {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string } & Json;
}

/** What happens to a request: how long it takes, before it counts and after, and whether it fails at all. */
export interface Weather {
  /** Resolves when the request reaches the server. Rejects: it never does. */
  readonly before?: (request: KubeRequest) => Promise<void> | void;
  /** Resolves when the answer is back. Rejects: it is lost, though the server did as it was told. */
  readonly after?: (request: KubeRequest) => Promise<void> | void;
}

/**
 * The parts of an API server that matter to what writes: versions, conflicts, uid, apply on status. In memory and in simulated
 * time; nothing of HTTP. A test that needs a watch or a socket takes the fake API server.
 */
export class MemoryApi {
  readonly objects = new Map<string, Stored>();
  readonly requests: KubeRequest[] = [];
  #version = 100;

  client(weather: Weather = {}): KubeClient {
    return {
      server: 'https://memory.invalid',
      request: async (request) => {
        this.requests.push(request);
        await weather.before?.(request);
        if (request.signal?.aborted === true) throw new KubeError('aborted');
        const answer = this.#answer(request);
        await weather.after?.(request);
        return answer;
      },
      stream: () => Promise.reject(new KubeError('no streams here', { status: 405 })),
      close: async () => {},
    };
  }

  /** Puts an object there as somebody else would. */
  put(path: string, object: Json): Stored {
    const { metadata = {} } = object as { metadata?: Json };
    const version = ++this.#version;
    const uid = (metadata.uid ?? this.objects.get(path)?.metadata.uid ?? `uid-${version}`) as string;
    const name = decodeURIComponent(path.slice(path.lastIndexOf('/') + 1));
    const stored: Stored = { ...object, metadata: { name, ...metadata, uid, resourceVersion: String(version) } };
    this.objects.set(path, stored);
    return stored;
  }

  #answer({ method, path, body }: KubeRequest): unknown {
    if (method === 'POST') return this.#create(path, body as Json);
    const subresource = path.endsWith('/status');
    const key = subresource ? path.slice(0, -'/status'.length) : path;
    const there = this.objects.get(key);
    if (there === undefined) throw new KubeError(`${path} not found`, { status: 404, reason: 'NotFound' });
    if (method === 'DELETE') this.objects.delete(key);
    if (method === 'GET' || method === 'DELETE') return there;
    const change = body as Json & { metadata?: Json };
    for (const field of ['uid', 'resourceVersion'] as const) {
      const asked = change.metadata?.[field];
      if (asked === undefined || asked === there.metadata[field]) continue;
      throw new KubeError(`${path}: ${field} is not ${String(asked)}`, { status: 409, reason: 'Conflict' });
    }
    const next =
      method === 'PUT' ? change : subresource ? { ...there, status: change.status } : { ...there, ...change };
    const metadata = { ...there.metadata, ...change.metadata };
    // As an API server does: a write that changes nothing makes no new version.
    if (JSON.stringify({ ...next, metadata }) === JSON.stringify({ ...there, metadata })) return there;
    return this.put(key, { ...next, metadata });
  }

  #create(path: string, object: Json): Stored {
    const { metadata } = object as { metadata: Json };
    const key = `${path}/${encodeURIComponent(metadata.name as string)}`;
    if (this.objects.has(key)) throw new KubeError(`${key} exists`, { status: 409, reason: 'AlreadyExists' });
    return this.put(key, object);
  }
}
