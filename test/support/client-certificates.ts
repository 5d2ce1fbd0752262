import type { ClientCertificatePolicy } from '../../src/model/client-certificate.ts';
import type { VirtualHost } from '../../src/model/virtual-host.ts';
import { renderHostTls } from '../../src/drivers/nginx/records/host-tls.ts';
import { renderServerName } from '../../src/drivers/nginx/records/server-name-record.ts';
import type { HostRecord, RouteRecord } from '../../src/drivers/nginx/wire.ts';
import type { Authority, KeyPair } from './certificates.ts';
import type { Records } from './dataplane.ts';

/** A policy that asks for certificates of these authorities. */
export function policy(
  authorities: Pick<Authority, 'certificate'> | readonly Pick<Authority, 'certificate'>[],
  more: Partial<ClientCertificatePolicy> = {},
): ClientCertificatePolicy {
  const all = 'certificate' in authorities ? [authorities] : authorities;
  return { mode: 'require', authorities: all.map(({ certificate }) => certificate).join('\n'), depth: 1, ...more };
}

/** All records of a host of scope `default`, as the driver makes them; without a policy it asks nobody. */
export function guardedHost(
  hostname: string,
  clientCertificate: ClientCertificatePolicy | undefined,
  routes: RouteRecord[],
): Records {
  const host: VirtualHost = {
    scope: 'default',
    hostname,
    tls: { certificates: [], ...(clientCertificate === undefined ? {} : { clientCertificate }) },
    routes: [],
    origins: [],
  };
  const { record, authority, closed } = renderHostTls(host, new Map());
  if (closed !== undefined) throw new Error(closed);
  const serverName = renderServerName(host);
  const own: HostRecord = { routes, ...record };
  return {
    ...(authority === undefined ? {} : { [`a:${authority.id}`]: authority.text }),
    [`s:default/${hostname}`]: serverName,
    [`h:default/${hostname}`]: own,
  };
}

/** Options of a TLS client that has this certificate. */
export function showing({ certificate, key }: KeyPair): { readonly cert: string; readonly key: string } {
  return { cert: certificate, key };
}
