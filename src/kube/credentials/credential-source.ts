import type { KubeConfig } from '../kube-config.ts';
import type { Credentials } from './credentials.ts';
import { ExecReader } from './exec-reader.ts';
import { MaterialReader } from './material-reader.ts';
import { runExecPlugin } from './run-exec-plugin.ts';

export interface CredentialSourceOptions {
  readonly now?: () => number;
  /** Of the plugins that are run. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** Credentials and authority of a configuration as they are now: files read again, plugins asked again. */
export class CredentialSource {
  readonly #token: MaterialReader | undefined;
  readonly #certificate: { readonly certificate: MaterialReader; readonly key: MaterialReader } | undefined;
  readonly #authority: MaterialReader | undefined;
  readonly #exec: ExecReader | undefined;

  constructor({ user, cluster }: KubeConfig, options: CredentialSourceOptions = {}) {
    const { now = Date.now, environment = process.env } = options;
    const { token, certificate, exec } = user;
    this.#token = token && new MaterialReader(token, 'the token', now);
    this.#certificate = certificate && {
      certificate: new MaterialReader(certificate.certificate, 'the client certificate', now),
      key: new MaterialReader(certificate.key, "the client certificate's key", now),
    };
    this.#authority = cluster.authority && new MaterialReader(cluster.authority, 'the certificate authority', now);
    this.#exec =
      exec &&
      new ExecReader(async () => {
        const authority = await this.authority();
        return runExecPlugin({ plugin: exec, cluster, environment, ...(authority === undefined ? {} : { authority }) });
      }, now);
  }

  /** PEM; undefined: whom Node trusts. */
  async authority(): Promise<string | undefined> {
    return (await this.#authority?.read())?.reveal();
  }

  async credentials(): Promise<Credentials> {
    const given = await this.#exec?.read();
    const token = given?.token ?? (await this.#token?.read());
    const certificate = given?.certificate ?? (await this.#pair());
    return { ...(token === undefined ? {} : { token }), ...(certificate === undefined ? {} : { certificate }) };
  }

  /** The server refused the credentials: the next ones are read anew. False if they can't be others than these. */
  refused(): boolean {
    this.#exec?.forget();
    this.#token?.forget();
    this.#certificate?.certificate.forget();
    this.#certificate?.key.forget();
    return (
      this.#exec !== undefined ||
      this.#token?.renewable === true ||
      this.#certificate?.certificate.renewable === true ||
      this.#certificate?.key.renewable === true
    );
  }

  async #pair(): Promise<Credentials['certificate']> {
    if (this.#certificate === undefined) return undefined;
    const [certificate, key] = await Promise.all([this.#certificate.certificate.read(), this.#certificate.key.read()]);
    return { certificate: certificate.reveal(), key };
  }
}
