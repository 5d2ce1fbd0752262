import type { Backend } from '../../src/model/backend.ts';
import { emptyDelta } from '../../src/model/diff.ts';
import type { ModelDelta, ModelParts, ModelTable } from '../../src/model/model.ts';

export type MutableModel = { readonly [Table in ModelTable]: Map<string, ModelParts[Table]> };

export function mutableModel(): MutableModel {
  return { listeners: new Map(), hosts: new Map(), backends: new Map(), certificates: new Map(), l4Routes: new Map() };
}

/** A backend with one loopback endpoint. */
export function backendPart(id: string, port: number): Backend {
  return {
    id,
    protocol: 'http',
    balancing: { kind: 'round-robin' },
    endpoints: [{ address: '127.0.0.1', port, weight: 1, state: 'ready' }],
    origin: { object: { kind: 'Service', namespace: 'shop', name: id }, field: '' },
  };
}

export function backendsDelta(...keys: readonly string[]): ModelDelta {
  return { ...emptyDelta(), backends: new Set(keys) };
}
