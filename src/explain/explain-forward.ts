import type { Model } from '../model/model.ts';
import type { Action, Route } from '../model/route.ts';
import { explainBackend } from './explain-backend.ts';
import { explainCanary } from './explain-canary.ts';
import type { ExplainedBackend, ExplainedCanary, Outcome } from './explanation.ts';
import type { Covered } from './match-route.ts';
import type { RegexEngine } from './regex-engine.ts';
import { withQuery } from './redirect-location.ts';
import type { RequestTarget } from './request-target.ts';
import { rewritePath } from './rewritten-path.ts';
import { settingSentences } from './setting-sentences.ts';

type Forward = Extract<Action, { kind: 'forward' }>;

/** Where the request goes and as what. `path` is the normalised one. */
export async function explainForward(
  route: Route,
  action: Forward,
  model: Model,
  target: RequestTarget,
  path: string,
  covered: Covered,
  engine: RegexEngine,
): Promise<Outcome> {
  const canaries: ExplainedCanary[] = [];
  const backends: ExplainedBackend[] = [];
  let left = 1;
  for (const canary of action.canaries ?? []) {
    const judgement = await explainCanary(canary, target, engine);
    canaries.push(judgement.explained);
    // A canary without endpoints takes nothing, whatever its rules say.
    const up = (model.backends.get(canary.backend)?.endpoints.length ?? 0) > 0;
    const share = up ? left * judgement.chance : 0;
    backends.push(explainBackend(canary.backend, share, [], model));
    left -= share;
  }
  const main = shareOut(action, model, left);
  if (main.length === 0 && left > 0) {
    return { kind: 'respond', status: 503, reason: 'The route names no backend that gets requests.' };
  }
  return {
    kind: 'forward',
    ...requestAsSent(route, target, path, covered),
    canaries,
    backends: [...main, ...backends],
    settings: settingSentences(route),
  };
}

/** What the canaries leave, by weight; all of it to the fallback while nobody else has an endpoint. */
function shareOut(action: Forward, model: Model, left: number): ExplainedBackend[] {
  const total = action.backends.reduce((sum, { weight }) => sum + weight, 0);
  const alive = action.backends.some(({ backend }) => (model.backends.get(backend)?.endpoints.length ?? 0) > 0);
  const { fallback } = action;
  const toFallback = fallback !== undefined && !alive;
  const main = action.backends.map(({ backend, weight, filters }) =>
    explainBackend(backend, total === 0 || toFallback ? 0 : (left * weight) / total, filters ?? [], model),
  );
  if (fallback !== undefined) main.push(explainBackend(fallback, toFallback ? left : 0, [], model));
  return total === 0 && !toFallback ? [] : main;
}

/** Host and path towards the backend. An unchanged path is sent as the client wrote it. */
function requestAsSent(
  route: Route,
  target: RequestTarget,
  path: string,
  covered: Covered,
): { host: string; path: string } {
  let host = target.authority;
  let sent = withQuery(target.rawPath, target.query);
  for (const filter of route.filters) {
    if (filter.type !== 'rewrite') continue;
    if (filter.hostname !== undefined) host = filter.hostname;
    if (filter.path !== undefined) {
      const rewritten = rewritePath(filter.path, path, target.query, covered);
      sent = withQuery(encodeURI(rewritten.path).replaceAll('?', '%3F').replaceAll('#', '%23'), rewritten.query);
    }
  }
  return { host, path: sent };
}
