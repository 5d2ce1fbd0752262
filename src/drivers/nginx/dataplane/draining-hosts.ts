import type { RouteRecord } from '../wire';
import { recall } from './bounded-cache';
import type { Host } from './host';
import { settings } from './options';
import type { ScopedLookup } from './scoped-lookup';

/**
 * A worker that is being replaced still serves what had begun, by the configuration it was started with. A record that
 * came after the reload may name a profile which only the next one has: there it goes on by the record before.
 */
const former = new LuaTable<string, Host>();
let formerAll: ScopedLookup<Host> | undefined;

/** Whether this configuration has no such location, so that nginx could only answer 500. */
export function namesUnknownProfile({ profile, boundedProfile, identity }: RouteRecord): boolean {
  const group = identity === undefined ? undefined : identity[0];
  return isUnknown(profile) || isUnknown(boundedProfile) || isUnknown(group);
}

function isUnknown(name: string | undefined): boolean {
  return name !== undefined && settings.profiles.get(name) === undefined;
}

function peek(lookup: ScopedLookup<Host>, scope: string, name: string): Host | undefined {
  const memory = lookup.scopes.get(scope);
  return memory === undefined ? undefined : recall(memory.records, name);
}

/** To be called before a host is forgotten. */
export function keepFormer(lookup: ScopedLookup<Host>, rest: string): void {
  if (!ngx.worker.exiting()) {
    return;
  }
  const [scope, name] = string.match(rest, '^(.*)/([^/]*)$');
  const host = scope === undefined || name === undefined ? undefined : peek(lookup, scope, name);
  if (host !== undefined) {
    former.set(rest, host);
  }
}

/** To be called before all are forgotten. */
export function keepAllFormer(lookup: ScopedLookup<Host>): void {
  if (ngx.worker.exiting()) {
    formerAll = { read: lookup.read, scopes: lookup.scopes };
  }
}

export function formerHost(scope: string, name: string): Host | undefined {
  const host = former.get(scope + '/' + name);
  return host ?? (formerAll === undefined ? undefined : peek(formerAll, scope, name));
}
