import type { ServerNameRecord, VerificationRecord } from '../wire';
import { decodeRecord } from './decode-record';
import { settings } from './options';
import { createLookup, find, forgetAllNames, forgetName } from './scoped-lookup';

export interface ServerName {
  readonly certificates: readonly string[];
  readonly policy: string;
  readonly verify?: VerificationRecord;
}

const NOTHING: ServerName = { certificates: [], policy: '' };

function compileServerName(record: ServerNameRecord): ServerName {
  return { certificates: record.certificates ?? [], policy: record.policy ?? '', verify: record.verify } as ServerName;
}

const names = createLookup<ServerName>((scope, name) => {
  const key = 's:' + scope + '/' + name;
  const [text] = settings.data.get(key);
  if (text === undefined) {
    return undefined;
  }
  return decodeRecord<ServerNameRecord, ServerName>(key, text as string, compileServerName) ?? NOTHING;
});

/** TLS at an SNI name: its own record's, a wildcard's, or the default's. */
export function findServerName(scope: string, name: string | undefined): ServerName {
  return find(names, scope, name === undefined ? '*' : string.lower(name)) ?? NOTHING;
}

export function forgetServerName(rest: string): void {
  forgetName(names, rest);
}

export function forgetAllServerNames(): void {
  forgetAllNames(names);
}
