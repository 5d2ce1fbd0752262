import type { HostRecord } from '../wire';
import { compileHost, type Host } from './host';
import { decodeRecord } from './decode-record';
import { formerHost, keepAllFormer, keepFormer } from './draining-hosts';
import { settings } from './options';
import { createLookup, find, forgetAllNames, forgetName } from './scoped-lookup';

const BROKEN: Host = { broken: true };

const hosts = createLookup<Host>((scope, name) => {
  const key = 'h:' + scope + '/' + name;
  const [text] = settings.data.get(key);
  if (text === undefined) {
    return undefined;
  }
  const host = decodeRecord<HostRecord, Host>(key, text as string, compileHost) ?? BROKEN;
  return host.ahead === true ? (formerHost(scope, name) ?? host) : host;
});

export function findHost(scope: string, name: string): Host | undefined {
  return find(hosts, scope, name);
}

export function forgetHost(rest: string): void {
  keepFormer(hosts, rest);
  forgetName(hosts, rest);
}

export function forgetAllHosts(): void {
  keepAllFormer(hosts);
  forgetAllNames(hosts);
}
