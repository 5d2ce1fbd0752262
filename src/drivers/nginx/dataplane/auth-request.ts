import type { AuthRecord } from '../wire';
import { requestText, requestUrl } from './request-text';
import { addClientCertificate, addClientFields, createFields, fieldLines, setField } from './service-headers';
import type { KeptConnections, ServiceRequest } from './service-exchange';

/**
 * What the verdict must not depend on: such a request could be answered "not modified" or with a part, which is neither
 * yes nor no.
 */
const CONDITIONAL = ['If-Match', 'If-None-Match', 'If-Modified-Since', 'If-Unmodified-Since', 'If-Range', 'Range'];

/** Which program asks; services that were written for ingress-nginx look at it. */
const SENT_FROM = 'nginx-ingress-controller';

/** The request to the auth service: what ingress-nginx sends, and nothing that a client made up. The body stays here. */
export function buildAuthRequest(
  auth: AuthRecord,
  wanted: LuaSet<string> | undefined,
  scheme: string,
  timeouts: ServiceRequest['timeouts'],
): ServiceRequest {
  const method = auth.method ?? 'GET';
  const uri = ngx.var.request_uri ?? '/';
  const clientHost = ngx.var.weir_client_host ?? '';
  const address = ngx.var.remote_addr ?? '';
  const fields = createFields();
  addClientFields(fields, wanted);
  for (const name of CONDITIONAL) {
    setField(fields, name, '');
  }
  setField(fields, 'Host', auth.host ?? clientHost);
  setField(fields, 'X-Request-ID', ngx.var.weir_request_id ?? '');
  setField(fields, 'X-Original-URL', scheme + '://' + clientHost + uri);
  setField(fields, 'X-Original-URI', uri);
  setField(fields, 'X-Original-Method', ngx.var.request_method ?? '');
  setField(fields, 'X-Scheme', scheme);
  setField(fields, 'X-Sent-From', SENT_FROM);
  setField(fields, 'X-Real-IP', address);
  setField(fields, 'X-Forwarded-For', address);
  setField(
    fields,
    'X-Auth-Request-Redirect',
    auth.requestRedirect === undefined ? uri : requestText(auth.requestRedirect, scheme),
  );
  addClientCertificate(fields);
  for (const [name, value] of auth.setHeaders ?? []) {
    setField(fields, name, requestText(value, scheme));
  }
  const length = method === 'GET' || method === 'HEAD' ? '' : 'Content-Length: 0\r\n';
  return {
    head: method + ' ' + requestUrl(auth.path, scheme) + ' HTTP/1.1\r\n' + fieldLines(fields) + length,
    body: undefined,
    tls: auth.tls,
    timeouts,
    within: timeouts[1] + timeouts[2],
    keep: keptConnections(auth),
  };
}

/**
 * Only where it is asked for: bytes that a service sends behind its answer, and which come in while the connection is used
 * again, would be taken for the answer to another's question.
 */
function keptConnections({ keepAlive }: AuthRecord): KeptConnections | undefined {
  if (keepAlive === undefined) {
    return undefined;
  }
  const [connections, requests, seconds] = keepAlive;
  // Whoever asks for other numbers has connections of his own.
  const pool = `auth ${connections} ${requests} ${seconds}`;
  return { pool, connections, requests, idleMilliseconds: seconds * 1000 };
}
