import type { HashPartRecord } from '../wire';
import { cookieValue } from './cookie';
import { headerText } from './header-text';
import { queryValue } from './query';

export type HashPart = HashPartRecord;

const KINDS = new LuaTable<string, boolean>();
KINDS.set('text', true);
KINDS.set('path', true);
KINDS.set('uri', true);
KINDS.set('host', true);
KINDS.set('client-address', true);
KINDS.set('header', true);
KINDS.set('cookie', true);
KINDS.set('query', true);

export function compileHashKey(parts: readonly HashPartRecord[] | undefined): readonly HashPart[] {
  for (const part of parts ?? []) {
    if (!KINDS.has(part.kind)) {
      error('a hash key has a part of unknown kind', 0);
    }
  }
  return parts ?? [];
}

function partValue(part: HashPart): string {
  const { kind } = part;
  if (kind === 'text') {
    return part.value ?? '';
  }
  if (kind === 'path') {
    return ngx.var.uri ?? '';
  }
  if (kind === 'uri') {
    return ngx.var.request_uri ?? '';
  }
  if (kind === 'host') {
    return ngx.var.host ?? '';
  }
  if (kind === 'client-address') {
    return ngx.var.remote_addr ?? '';
  }
  const name = part.name ?? '';
  if (kind === 'header') {
    return headerText(name) ?? '';
  }
  if (kind === 'cookie') {
    return cookieValue(name) ?? '';
  }
  return queryValue(name) ?? '';
}

/** The text whose hash chooses the endpoint. */
export function hashKeyText(parts: readonly HashPart[]): string {
  if (parts.length === 1) {
    return partValue(parts[0]!);
  }
  let text = '';
  for (const part of parts) {
    text = text + partValue(part) + '\0';
  }
  return text;
}
