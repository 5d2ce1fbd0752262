import type { ClientCertificatePolicy } from '../model/client-certificate.ts';
import { equalParts } from '../model/equality.ts';
import { hostnameCandidates } from '../model/hostname.ts';
import type { Model } from '../model/model.ts';
import { type VirtualHost, virtualHostKey } from '../model/virtual-host.ts';
import type { Explanation } from './explanation.ts';

export interface HostChoice {
  readonly host: VirtualHost | undefined;
  readonly considered: Explanation['hosts'];
}

/** The virtual host that takes a name in a scope, with all that could have: itself, `*.`, `**.`, `*`. */
export function chooseHost(model: Model, scope: string, name: string): HostChoice {
  let host: VirtualHost | undefined;
  const considered = hostnameCandidates(name).map((hostname) => {
    const found = model.hosts.get(virtualHostKey(scope, hostname));
    const chosen = found !== undefined && host === undefined;
    if (chosen) host = found;
    return { hostname, known: found !== undefined, chosen, why: why(hostname, name, found, host) };
  });
  return { host, considered };
}

function why(hostname: string, name: string, found: VirtualHost | undefined, chosen: VirtualHost | undefined): string {
  if (found === undefined) return 'no route is for it';
  if (found !== chosen) return `${chosen?.hostname} is more specific`;
  if (hostname === name) return 'is the very name';
  return hostname === '*' ? 'takes what nothing else does' : `covers ${name}`;
}

/** Whether a connection made for `connected` may carry requests for `asked`: a TLS policy holds for its own host alone. */
export function sharesTlsPolicy(connected: VirtualHost | undefined, asked: VirtualHost): boolean {
  return connected === asked || equalParts(policy(connected), policy(asked));
}

function policy(host: VirtualHost | undefined): unknown {
  if (host?.tls === undefined) return undefined;
  const { certificates: _certificates, staple: _staple, clientCertificate, ...settings } = host.tls;
  const rest = { ...settings, clientCertificate: clientCertificate && verification(clientCertificate) };
  return Object.values(rest).every((value) => value === undefined) ? undefined : rest;
}

/** What a connection settles; mode and subject are asked of every request. */
function verification({ authorities, revocations, depth }: ClientCertificatePolicy): unknown {
  return { authorities, revocations, depth };
}
