import type { KubeClient } from '../../kube/kube-client.ts';
import { KubeError } from '../../kube/kube-error.ts';
import type { RbacRule } from '../../kube/rbac-rule.ts';
import type { Credentials } from './credentials.ts';
import { CREDENTIAL_FILES } from './file-credentials.ts';
import { decodeMaterial, encodeMaterial, type Material } from './material.ts';
import type { MaterialStore } from './material-store.ts';

const MATERIAL = 'authority.json';
const LABELS = { 'app.kubernetes.io/name': 'weir', 'app.kubernetes.io/component': 'model-stream' };

/** In the namespace of --model-tls-secret; the rule for existing ones is for NAME and NAME-proxy. */
export const MODEL_SECRET_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: [''],
    resources: ['secrets'],
    resourceNames: ['weir-model', 'weir-model-proxy'],
    verbs: ['get', 'update'],
    why: 'Renews the certificates by which controllers and proxies know each other.',
  },
  {
    apiGroups: [''],
    resources: ['secrets'],
    verbs: ['create'],
    why: 'Makes the Secrets of these certificates at the first start; RBAC can not limit this to a name.',
  },
];

interface Secret {
  readonly metadata: { readonly resourceVersion: string };
  readonly data?: Readonly<Record<string, string>>;
}

/**
 * Keeps the material in two Secrets: NAME, which only controllers may read, and NAME-proxy, which the proxies' pods mount
 * and which opens nothing but the stream. Writes name the version that was read, so that of two controllers one is first
 * and the other takes over what it has written; no leader is needed for it.
 */
export class SecretMaterialStore implements MaterialStore {
  readonly place: string;
  readonly #client: KubeClient;
  readonly #namespace: string;
  readonly #name: string;

  constructor(client: KubeClient, { namespace, name }: { readonly namespace: string; readonly name: string }) {
    this.#client = client;
    this.#namespace = namespace;
    this.#name = name;
    this.place = `secret ${namespace}/${name}`;
  }

  async read(): Promise<{ readonly material: Material | undefined; readonly version: string | undefined }> {
    const secret = await this.#get(this.#name);
    const text = secret?.data?.[MATERIAL];
    const material = text === undefined ? undefined : decodeMaterial(Buffer.from(text, 'base64').toString());
    return { material, version: secret?.metadata.resourceVersion };
  }

  write(material: Material, version: string | undefined): Promise<boolean> {
    return this.#put(this.#name, 'Opaque', { [MATERIAL]: encodeMaterial(material) }, version);
  }

  async publish({ authorities, certificate, key }: Credentials): Promise<void> {
    const name = `${this.#name}-proxy`;
    const wanted = {
      [CREDENTIAL_FILES.authorities]: authorities,
      [CREDENTIAL_FILES.certificate]: certificate,
      [CREDENTIAL_FILES.key]: key.reveal(),
    };
    const secret = await this.#get(name);
    const same = Object.entries(wanted).every(
      ([file, text]) => secret?.data?.[file] === Buffer.from(text).toString('base64'),
    );
    // Where another controller is faster it has written the same, or the next look sees that it hasn't.
    if (!same) await this.#put(name, 'kubernetes.io/tls', wanted, secret?.metadata.resourceVersion);
  }

  async #get(name: string): Promise<Secret | undefined> {
    try {
      return (await this.#client.request({ method: 'GET', path: this.#path(name) })) as Secret;
    } catch (error) {
      if (error instanceof KubeError && error.status === 404) return undefined;
      throw error;
    }
  }

  async #put(
    name: string,
    type: string,
    texts: Readonly<Record<string, string>>,
    version: string | undefined,
  ): Promise<boolean> {
    const data = Object.fromEntries(
      Object.entries(texts).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
    );
    const metadata = { name, namespace: this.#namespace, labels: LABELS };
    try {
      await this.#client.request({
        method: version === undefined ? 'POST' : 'PUT',
        path: this.#path(version === undefined ? undefined : name),
        body: {
          apiVersion: 'v1',
          kind: 'Secret',
          type,
          metadata: version === undefined ? metadata : { ...metadata, resourceVersion: version },
          data,
        },
      });
      return true;
    } catch (error) {
      if (error instanceof KubeError && error.status === 409) return false;
      throw error;
    }
  }

  #path(name: string | undefined): string {
    const collection = `/api/v1/namespaces/${encodeURIComponent(this.#namespace)}/secrets`;
    return name === undefined ? collection : `${collection}/${encodeURIComponent(name)}`;
  }
}
