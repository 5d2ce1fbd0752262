import type { Finding } from '../../src/diagnostics/finding.ts';
import type { Status } from '../../src/controller/status.ts';
import type { Backend } from './backends/echo-backend.ts';
import { type Authority, makeAuthority } from './certificates.ts';
import { type Reply, request, type RequestOptions } from './clients/http-client.ts';
import { Http2Client } from './clients/http2-client.ts';
import { ManifestFolder } from './manifest-folder.ts';
import { backendService, ingress, type Manifest, type PathOptions, tlsSecret } from './manifests.ts';
import type { Scope } from './scope.ts';
import { startWeir, type Weir } from './weir.ts';

export const ANNOTATION_PREFIX = 'nginx.ingress.kubernetes.io/';

export interface Exposure {
  readonly host: string;
  /** Endpoints of the one Service that all paths lead to. */
  readonly backends: readonly Pick<Backend, 'address' | 'port'>[];
  /** Without their prefix. */
  readonly annotations?: Readonly<Record<string, string>>;
  /** `/` of type Prefix unless given; a text is a path of that type. */
  readonly paths?: readonly (string | Omit<PathOptions, 'service'>)[];
  /** Give the host a certificate. */
  readonly tls?: boolean;
  /** Of the Ingress and the Service; the host's first label unless given. Tells two Ingresses of one host apart. */
  readonly name?: string;
}

type Asked = Omit<Partial<RequestOptions>, 'port' | 'host' | 'path' | 'tls'>;

/** One `weir run` for a whole test file, whose folder of manifests the tests change live: each test has hosts of its own. */
export class Site {
  readonly folder: ManifestFolder;
  readonly weir: Weir;
  readonly authority: Authority;

  private constructor(folder: ManifestFolder, weir: Weir, authority: Authority) {
    this.folder = folder;
    this.weir = weir;
    this.authority = authority;
  }

  static async open(scope: Scope, args: readonly string[] = []): Promise<Site> {
    const folder = new ManifestFolder(scope);
    const [weir, authority] = await Promise.all([startWeir(scope, { manifests: folder, args }), makeAuthority()]);
    return new Site(folder, weir, authority);
  }

  /** A `weir run` after this one, with its folder, ports and state directory. */
  async reopen(scope: Scope, args: readonly string[] = []): Promise<Site> {
    const weir = await startWeir(scope, { manifests: this.folder, args, again: this.weir });
    return new Site(this.folder, weir, this.authority);
  }

  /** Writes one file and resolves when it is in force. */
  async apply(file: string, manifests: readonly Manifest[] | string): Promise<void> {
    this.folder.write(file, manifests);
    await this.settled();
  }

  async settled(): Promise<void> {
    const status = await this.weir.admin<Status & { settled: boolean }>('/api/v1/status?wait=20');
    if (!status.settled) throw new Error(`not settled within 20 s; weir's output:\n${this.weir.output()}`);
  }

  /** Serves a host by an Ingress and a Service of one name, and resolves when it is in force. Again: replaces them. */
  async expose(exposure: Exposure): Promise<void> {
    const name = nameOf(exposure);
    await this.apply(`${name}.yaml`, await this.manifestsOf(exposure));
  }

  async manifestsOf(exposure: Exposure): Promise<Manifest[]> {
    const { host, backends, paths = ['/'], annotations = {}, tls = false } = exposure;
    const name = nameOf(exposure);
    const secret = tls ? [tlsSecret({ name: `${name}-tls`, ...(await this.authority.issue([host])) })] : [];
    return [
      ingress({
        name,
        host,
        paths: paths.map((path) => ({ service: name, ...(typeof path === 'string' ? { path } : path) })),
        annotations: prefixed(annotations),
        ...(tls ? { tls: [{ hosts: [host], secretName: `${name}-tls` }] } : {}),
      }),
      ...backendService({ name, endpoints: backends }),
      ...secret,
    ];
  }

  http(host: string, path = '/', asked: Asked = {}): Promise<Reply> {
    return request({ ...asked, port: this.weir.httpPort, host, path });
  }

  https(host: string, path = '/', asked: Asked = {}): Promise<Reply> {
    return request({ ...asked, port: this.weir.httpsPort, host, path, tls: true });
  }

  /** A connection of HTTP/2 over TLS; the caller closes it. */
  http2(host: string): Promise<Http2Client> {
    return Http2Client.open(this.weir.httpsPort, { host, tls: true });
  }

  status(): Promise<Status> {
    return this.weir.admin<Status>('/api/v1/status');
  }

  /** What weir has to say about an Ingress, in the order in which it says it. */
  async findings(name: string): Promise<readonly Finding[]> {
    const query = new URLSearchParams({ kind: 'Ingress', name });
    return (await this.weir.admin<{ items: Finding[] }>(`/api/v1/diagnostics?${query}`)).items;
  }
}

export function prefixed(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [`${ANNOTATION_PREFIX}${key}`, value]));
}

function nameOf({ name, host }: Exposure): string {
  return name ?? host.split('.')[0] ?? host;
}
