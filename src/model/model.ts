import type { Backend } from './backend.ts';
import type { Certificate } from './certificate.ts';
import type { L4Route } from './l4-route.ts';
import type { Listener } from './listener.ts';
import type { VirtualHost } from './virtual-host.ts';

/**
 * All that load balancers are to do, in terms of none of them. Each table is keyed by its part's identity: listener
 * name, `virtualHostKey`, backend id, certificate id, L4 route id.
 */
export interface Model {
  readonly listeners: ReadonlyMap<string, Listener>;
  readonly hosts: ReadonlyMap<string, VirtualHost>;
  readonly backends: ReadonlyMap<string, Backend>;
  readonly certificates: ReadonlyMap<string, Certificate>;
  readonly l4Routes: ReadonlyMap<string, L4Route>;
}

export const MODEL_TABLES = ['certificates', 'backends', 'listeners', 'hosts', 'l4Routes'] as const;
export type ModelTable = (typeof MODEL_TABLES)[number];

export interface ModelParts {
  listeners: Listener;
  hosts: VirtualHost;
  backends: Backend;
  certificates: Certificate;
  l4Routes: L4Route;
}

/** What differs between two models: the keys of each table whose part was added, replaced or removed. */
export type ModelDelta = { readonly [Table in ModelTable]: ReadonlySet<string> };

export function emptyModel(): Model {
  return { listeners: new Map(), hosts: new Map(), backends: new Map(), certificates: new Map(), l4Routes: new Map() };
}
