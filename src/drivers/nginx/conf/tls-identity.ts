import { join } from 'node:path';
import { directive, type Value, variables } from './build-directive.ts';
import type { Directive } from './directive.ts';

/**
 * All by which a backend proves who it is, and weir to it, in nginx's terms: none of it accepts a variable. Backends of
 * different identities share no connection, whatever their addresses are.
 */
export interface TlsIdentity {
  /** Hash of everything here and of what the files hold, but for the private key, which its certificate stands for. */
  readonly name: string;
  /**
   * Hash of all but the server name, where it takes nginx long to load the authorities: identities that differ by nothing else
   * share their locations, which take group and name from variables. That costs each request a little.
   */
  readonly shared?: string;
  /** There if and only if the backend's certificate is verified, and then so is `serverName`. */
  readonly authorities?: AuthoritiesFile;
  readonly serverName?: string;
  /** Whether the name is told to the backend (SNI). */
  readonly sendServerName: boolean;
  /** Name, below the run directory, of a file with a certificate, its chain and its key. */
  readonly clientCertificate?: string;
  /** The most certificates between the backend's own and the authority's. */
  readonly depth: number;
  /** As nginx calls them; empty: those of all backends. */
  readonly protocols: readonly string[];
  /** OpenSSL cipher list. */
  readonly ciphers?: string;
}

/** One that weir writes, by its name below the run directory; or one of the machine, by its path. */
export type AuthoritiesFile = { readonly name: string } | { readonly path: string };

/** `module`: what speaks to the backend; each has directives of its own. `run`: the run directory. */
export function tlsIdentityDirectives(
  identity: TlsIdentity,
  module: 'proxy' | 'grpc',
  run: string,
): readonly Directive[] {
  const { shared, authorities, serverName, sendServerName, clientCertificate, depth, protocols, ciphers } = identity;
  const ssl = (name: string, ...values: readonly Value[]) => directive(`${module}_ssl_${name}`, ...values);
  const name = shared === undefined ? serverName : variables('$weir_tls_name');
  return [
    // nginx would keep sessions by address alone, and a resumed one isn't verified.
    ssl('session_reuse', 'off'),
    ...(authorities === undefined
      ? []
      : [
          ssl('verify', 'on'),
          ssl('trusted_certificate', 'path' in authorities ? authorities.path : join(run, authorities.name)),
          ssl('verify_depth', depth),
        ]),
    ...(name === undefined ? [] : [ssl('name', name)]),
    ...(sendServerName ? [ssl('server_name', 'on')] : []),
    ...(clientCertificate === undefined
      ? []
      : [ssl('certificate', join(run, clientCertificate)), ssl('certificate_key', join(run, clientCertificate))]),
    ...(protocols.length === 0 ? [] : [ssl('protocols', ...protocols)]),
    ...(ciphers === undefined ? [] : [ssl('ciphers', ciphers)]),
  ];
}
