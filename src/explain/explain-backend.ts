import type { Backend, Balancing } from '../model/backend.ts';
import type { Filter } from '../model/filter.ts';
import type { Model } from '../model/model.ts';
import { backendTlsView } from './backend-tls-view.ts';
import type { ExplainedBackend } from './explanation.ts';
import { filterSentence } from './filter-sentence.ts';

/** A backend as `explain` shows it. `chance`: 0 to 1. */
export function explainBackend(id: string, chance: number, filters: readonly Filter[], model: Model): ExplainedBackend {
  const backend = model.backends.get(id);
  const shown = {
    backend: id,
    chance: Math.round(chance * 10_000) / 100,
    filters: filters.map((filter) => filterSentence(filter, model)),
  };
  if (backend === undefined) {
    return { ...shown, endpoints: [], problem: 'This backend is not in the model: such a request gets 503.' };
  }
  const problem = endpointProblem(backend);
  return {
    ...shown,
    protocol: backend.protocol,
    ...(backend.tls === undefined ? {} : { tls: backendTlsView(backend.tls) }),
    balancing: balancingText(backend.balancing),
    endpoints: backend.endpoints.map(({ address, port, weight, state }) => ({ address, port, weight, state })),
    origin: backend.origin,
    ...(problem === undefined ? {} : { problem }),
  };
}

function endpointProblem(backend: Backend): string | undefined {
  if (backend.endpoints.length === 0) return 'It has no endpoint: such a request gets 503.';
  if (backend.endpoints.every(({ state }) => state === 'draining'))
    return 'Every endpoint is going: they serve until another one is ready.';
  return undefined;
}

function balancingText(balancing: Balancing): string {
  if (balancing.kind !== 'hash') return balancing.kind;
  const key = balancing.key.map((part) => ('name' in part ? `${part.kind} ${part.name}` : part.kind)).join(' + ');
  return `hash of ${key}${balancing.subsetSize === undefined ? '' : `, over ${balancing.subsetSize} endpoints each`}`;
}
