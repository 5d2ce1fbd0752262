import type { Backend } from '../../../model/backend.ts';
import type { ServiceRecord } from '../wire.ts';
import { recordName } from './record-key.ts';

/** For people, as the end of a sentence. */
export interface RefusedService {
  readonly refused: string;
}

/**
 * A backend that weir itself sends requests to, for an auth service or a mirror. A missing one has no endpoints, which
 * the data plane finds out. `host`: the name that a TLS handshake asks for where the backend names none.
 */
export function renderService(
  id: string,
  backend: Backend | undefined,
  host: string | undefined,
): ServiceRecord | RefusedService {
  const record = { backend: recordName(id) };
  if (backend === undefined || backend.protocol === 'http') return record;
  if (backend.protocol !== 'https') {
    return { refused: `backend ${id} speaks ${backend.protocol}, and it can only be asked over http and https` };
  }
  const { tls } = backend;
  if (tls?.verify === true || tls?.clientCertificate !== undefined || tls?.subjectAltNames !== undefined) {
    return {
      refused: `backend ${id} asks for TLS with verification or a client certificate, which is only there for a route's own backends`,
    };
  }
  const name = tls?.sendServerName === false ? undefined : (tls?.serverName ?? host?.replace(/:\d+$/, ''));
  return { ...record, tls: name === undefined ? {} : { name } };
}

/** Path and query of a request line: what may not stand in one is escaped, what is escaped already stays. */
export function requestTarget(path: string): string {
  const rooted = path.startsWith('/') ? path : `/${path}`;
  return rooted.toWellFormed().replaceAll(/[^\x21-\x7e]/gu, encodeURIComponent);
}
