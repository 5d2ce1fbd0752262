import type { TSchema } from 'typebox';
import { Backend } from './backend.ts';
import { Certificate } from './certificate.ts';
import { L4Route } from './l4-route.ts';
import { Listener } from './listener.ts';
import type { ModelParts, ModelTable } from './model.ts';
import { VirtualHost, virtualHostKey } from './virtual-host.ts';

/** The schema of each table's parts. */
export const PART_SCHEMAS = {
  certificates: Certificate,
  backends: Backend,
  listeners: Listener,
  hosts: VirtualHost,
  l4Routes: L4Route,
} as const satisfies Record<ModelTable, TSchema>;

/** The key under which a part stands in its table. */
export function partKey<Table extends ModelTable>(table: Table, part: ModelParts[Table]): string {
  return KEYS[table](part);
}

const KEYS: { readonly [Table in ModelTable]: (part: ModelParts[Table]) => string } = {
  certificates: (part) => part.id,
  backends: (part) => part.id,
  listeners: (part) => part.name,
  hosts: (part) => virtualHostKey(part.scope, part.hostname),
  l4Routes: (part) => part.id,
};
