import type { Listener } from '../../../model/listener.ts';
import type { ListenerRecord } from '../wire.ts';
import { type AuthorityText, readAuthorities } from './authority-record.ts';
import { policyHash, renderClientCertificate } from './client-certificate-record.ts';

export interface RenderedListener {
  readonly record: ListenerRecord;
  readonly authority: AuthorityText;
}

/** Undefined where the listener asks for no client certificates, or can't verify any and so isn't opened. */
export function renderListener({ protocol, clientCertificate }: Listener): RenderedListener | undefined {
  if (clientCertificate === undefined || protocol !== 'https') return undefined;
  const authority = readAuthorities(clientCertificate);
  if ('problem' in authority) return undefined;
  const verify = { authority: authority.id, depth: clientCertificate.depth };
  return {
    record: {
      policy: policyHash(verify),
      verify,
      clientCertificate: renderClientCertificate(clientCertificate, authority.id),
    },
    authority,
  };
}

/** Why the listener must not be opened: its clients could not be verified. */
export function listenerProblem({ clientCertificate }: Listener): string | undefined {
  const authorities = clientCertificate === undefined ? undefined : readAuthorities(clientCertificate);
  return authorities !== undefined && 'problem' in authorities ? authorities.problem : undefined;
}
