import { joined, requestHeaders } from './header-text';

/** Fields that concern one connection only, or that weir writes itself for every service. */
const OWN = new LuaSet<string>();
for (const name of [
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'proxy',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
  'http2-settings',
  'forwarded',
  'x-request-id',
  'x-real-ip',
  'x-scheme',
  'x-original-uri',
  'x-original-url',
  'x-original-method',
  'x-original-forwarded-for',
  'x-rewrite-url',
  'x-auth-request-redirect',
  'x-sent-from',
  'x-url-scheme',
  'front-end-https',
]) {
  OWN.add(name);
}

/** Whether a client could pass for weir by a header of this name. */
function isOwn(name: string): boolean {
  return OWN.has(name) || string.sub(name, 1, 12) === 'x-forwarded-' || string.sub(name, 1, 11) === 'ssl-client-';
}

/** Values that could end a header field early. */
export function isLine(value: string): boolean {
  return string.find(value, '[%z\r\n]')[0] === undefined;
}

/** Header fields of a request that weir makes itself. */
export interface HeaderFields {
  /** By lower-case name: the name as it is written, and its values. */
  readonly fields: LuaTable<string, readonly [name: string, values: readonly string[]]>;
}

export function createFields(): HeaderFields {
  return { fields: new LuaTable() };
}

/** In the place of what stands there under that name. An empty value takes the field away. */
export function setField({ fields }: HeaderFields, name: string, value: string): void {
  const key = string.lower(name);
  if (value === '') {
    fields.delete(key);
  } else if (isLine(value)) {
    fields.set(key, [name, [value]]);
  }
}

/** The client's header fields but those that are weir's to write; of them only those that `wanted` has, where given. */
export function addClientFields({ fields }: HeaderFields, wanted: LuaSet<string> | undefined): void {
  for (const [name, value] of pairs(requestHeaders())) {
    if (!isOwn(name) && (wanted === undefined || wanted.has(name))) {
      const values = typeof value === 'string' ? [value] : value;
      if (isLine(joined(value))) {
        fields.set(name, [name, values]);
      }
    }
  }
}

/** Who the client is by its certificate, as the backend is told; nothing where none was asked for. */
export function addClientCertificate(headers: HeaderFields): void {
  setField(headers, 'ssl-client-verify', ngx.var.weir_client_verify ?? '');
  setField(headers, 'ssl-client-subject-dn', ngx.var.weir_client_subject ?? '');
  setField(headers, 'ssl-client-issuer-dn', ngx.var.weir_client_issuer ?? '');
  setField(headers, 'ssl-client-cert', ngx.var.weir_client_certificate ?? '');
}

export function fieldLines({ fields }: HeaderFields): string {
  const lines: string[] = [];
  for (const [, [name, values]] of pairs(fields)) {
    for (const value of values) {
      lines.push(name + ': ' + value + '\r\n');
    }
  }
  return table.concat(lines, '');
}
