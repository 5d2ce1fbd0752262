import type { Redacted } from '../lib/redacted.ts';

/** Bytes given in the configuration itself (already decoded), or a file that is read again while the program runs. */
export type KubeMaterial = { readonly data: Redacted } | { readonly file: string };

export interface KubeCluster {
  /** URL without a slash at its end; may have a path. */
  readonly server: string;
  /** PEM. Left out: the authorities that Node trusts. */
  readonly authority?: KubeMaterial;
  /** The server's certificate isn't checked. */
  readonly insecure: boolean;
  /** Name to ask for and to expect in the server's certificate, instead of the URL's. */
  readonly serverName?: string;
  /** The cluster's extension for exec plugins, handed on as it is. */
  readonly execConfig?: unknown;
}

export interface ClientCertificate {
  /** PEM, leaf first. */
  readonly certificate: KubeMaterial;
  readonly key: KubeMaterial;
}

/** A program that gives credentials: https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins */
export interface ExecPlugin {
  readonly apiVersion: 'client.authentication.k8s.io/v1' | 'client.authentication.k8s.io/v1beta1';
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly provideClusterInfo: boolean;
  /** What to tell somebody who doesn't have the program. */
  readonly installHint?: string;
}

/** At most one of token and exec; a client certificate may go with a token. None at all: anonymous. */
export interface KubeUser {
  readonly token?: KubeMaterial;
  readonly certificate?: ClientCertificate;
  readonly exec?: ExecPlugin;
}

/** One API server, and who weir is there. */
export interface KubeConfig {
  /** Where it was read, for messages: file names, or `in-cluster`. */
  readonly from: string;
  readonly context?: string;
  readonly cluster: KubeCluster;
  readonly user: KubeUser;
  /** Of the context, or the pod's own; `default` if neither says. */
  readonly namespace: string;
  /** What the user should know though it works: sentences. */
  readonly warnings: readonly string[];
}
