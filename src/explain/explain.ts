import type { Listener } from '../model/listener.ts';
import type { Model } from '../model/model.ts';
import type { Route } from '../model/route.ts';
import type { VirtualHost } from '../model/virtual-host.ts';
import { chooseHost, sharesTlsPolicy } from './choose-host.ts';
import { chooseListener, passthroughRoute } from './choose-listener.ts';
import { explainAccess, type Followed } from './explain-access.ts';
import { explainBackend } from './explain-backend.ts';
import { explainForward } from './explain-forward.ts';
import type { ExplainedRoute, Explanation, Outcome } from './explanation.ts';
import { filterSentence } from './filter-sentence.ts';
import { type Covered, matchRoute, TOOK_TOO_LONG, yieldsTo } from './match-route.ts';
import { matchText } from './match-text.ts';
import { redirectLocation } from './redirect-location.ts';
import { javascriptRegex, type RegexEngine } from './regex-engine.ts';
import { type ExplainRequest, parseRequest, type RequestTarget } from './request-target.ts';
import { unreachableAuth } from './service-sentences.ts';

/**
 * Why a request goes where it goes, by the model alone. Patterns are tried by `engine`, the data plane's; without one
 * by JavaScript's, and then the explanation says that it is approximate where it mattered.
 *
 * Throws a CodedError (`url-unreadable`) for a URL that is none. What `engine` throws is passed on.
 */
export async function explain(model: Model, request: ExplainRequest, engine?: RegexEngine): Promise<Explanation> {
  const target = parseRequest(request);
  let approximate = false;
  let own: RegexEngine | undefined;
  const stopped = new Set<string>();
  const regex: RegexEngine = async (question) => {
    if (engine !== undefined) return engine(question);
    approximate = true;
    own ??= javascriptRegex();
    const answer = await own(question);
    if (!answer.matched && answer.tookTooLong === true) stopped.add(question.pattern);
    return answer;
  };
  const result = await follow(model, request, target, regex);
  const notes = [...result.notes, ...headerNotes(target), ...[...stopped].map(stoppedNote)];
  if (approximate)
    notes.push(
      'Regular expressions were matched by JavaScript, not by the data plane: the answer may differ in rare cases.',
    );
  return {
    request: {
      method: target.method,
      scheme: target.scheme,
      host: target.host,
      port: target.port,
      path: target.path ?? target.rawPath,
      query: target.query,
    },
    ...result,
    notes,
    approximate,
  };
}

type Result = Omit<Explanation, 'request' | 'approximate'>;

async function follow(
  model: Model,
  request: ExplainRequest,
  sent: RequestTarget,
  engine: RegexEngine,
): Promise<Result> {
  const choice = chooseListener(model, request, sent);
  if ('refused' in choice) return { ...nothing, outcome: { kind: 'refused', reason: choice.refused } };
  const { listener } = choice;
  // Redirects name the port that is really listened on.
  const target = { ...sent, port: listener.port };
  const notes = choice.note === undefined ? [] : [choice.note];
  const connected = target.scheme === 'https' ? chooseHost(model, listener.scope, target.serverName).host : undefined;
  const tlsRoute = passthroughRoute(model, listener, target, connected?.hostname);
  const at = { ...nothing, listener: listenerView(listener), notes };
  if (tlsRoute !== undefined) {
    const total = tlsRoute.backends.reduce((sum, { weight }) => sum + weight, 0);
    const backends = tlsRoute.backends.map(({ backend, weight }) =>
      explainBackend(backend, total === 0 ? 0 : weight / total, [], model),
    );
    return { ...at, outcome: { kind: 'passthrough', backends, origin: tlsRoute.origin } };
  }
  const { host, considered } = chooseHost(model, listener.scope, target.host);
  const answer = (status: number, reason: string): Result => ({
    ...at,
    hosts: considered,
    outcome: { kind: 'respond', status, reason },
  });
  if (target.path === undefined) return answer(400, 'The path has a malformed escape, a NUL, or leads above the root.');
  const misdirected = misdirection(model, request, target, listener, connected, host);
  if (misdirected !== undefined) return answer(421, misdirected);
  if (host === undefined) return answer(404, 'No route is for this host.');
  const followed = await followHost(model, host, target, target.path, engine);
  return { ...at, hosts: considered, ...explainAccess(followed, host, listener, target) };
}

const nothing = { hosts: [], routes: [], conditions: [], filters: [], notes: [] };

/** Why a request for another name than the connection's is refused (421); undefined: it isn't. */
function misdirection(
  model: Model,
  request: ExplainRequest,
  target: RequestTarget,
  listener: Listener,
  connected: VirtualHost | undefined,
  host: VirtualHost | undefined,
): string | undefined {
  if (target.scheme !== 'https' || target.host === target.serverName) return undefined;
  if (listener.detectMisdirectedRequests === true && request.listener === undefined) {
    const other = chooseListener(model, request, { ...target, serverName: target.host });
    if (!('refused' in other) && other.listener !== listener) {
      return `The connection was made for ${target.serverName}; ${target.host} belongs to the listener "${other.listener.name}".`;
    }
  }
  if (host === undefined || sharesTlsPolicy(connected, host)) return undefined;
  return `The connection was made for ${target.serverName}, which has another TLS policy than ${target.host}.`;
}

async function followHost(
  model: Model,
  host: VirtualHost,
  target: RequestTarget,
  path: string,
  engine: RegexEngine,
): Promise<Followed> {
  const routes: ExplainedRoute[] = [];
  /** Has a broken expression, and closes what is asked for unless a more exact route takes it. */
  let closing: Route | undefined;
  let winner: { readonly route: Route; readonly covered: Covered } | undefined;
  for (const route of host.routes) {
    const verdict = await matchRoute(route, path, target, engine);
    if (!verdict.holds) {
      routes.push(routeView(route, verdict.reason, verdict.why));
      if (verdict.closes === true && winner === undefined) closing ??= route;
    } else if (winner === undefined && closing !== undefined && yieldsTo(route, closing)) {
      const why = `matches too, but ${closing.id} closes the paths that begin like its regular expression`;
      routes.push(routeView(route, 'beaten', why));
    } else if (winner === undefined) {
      winner = { route, covered: verdict.covered };
      routes.push(routeView(route, 'won', 'is the first of which every condition holds'));
    } else
      routes.push(
        routeView(
          route,
          'beaten',
          `matches too, but ${winner.route.id} (${matchText(winner.route.match)}) is asked first`,
        ),
      );
  }
  if (winner === undefined && closing !== undefined) {
    const reason = `The regular expression of ${closing.id} can't be used, so what it begins with is closed.`;
    return { routes, filters: [], outcome: { kind: 'respond', status: 503, reason } };
  }
  if (winner === undefined) {
    return {
      routes,
      filters: [],
      outcome: { kind: 'respond', status: 404, reason: 'No route of this host matches the request.' },
    };
  }
  const { route, covered } = winner;
  return {
    route,
    routes,
    filters: filterSentences(route, model, target, path, covered),
    outcome: await outcomeOf(route, model, target, path, covered, engine),
  };
}

/** What the filters do to this request, in order; those that don't are told, and why. */
function filterSentences(route: Route, model: Model, target: RequestTarget, path: string, covered: Covered): string[] {
  let redirected = false;
  return route.filters.map((filter) => {
    const sentence = filterSentence(filter, model);
    if (redirected) return `${sentence} Not this request: it is redirected before.`;
    if (redirectLocation(filter, target, path, covered) !== undefined) redirected = true;
    else if (filter.type === 'https-redirect') return `${sentence} Not this request: it is HTTPS.`;
    else if (filter.type === 'redirect') return `${sentence} Not this request: its path is another.`;
    return sentence;
  });
}

async function outcomeOf(
  route: Route,
  model: Model,
  target: RequestTarget,
  path: string,
  covered: Covered,
  engine: RegexEngine,
): Promise<Outcome> {
  for (const filter of route.filters) {
    const redirection = redirectLocation(filter, target, path, covered);
    if (redirection !== undefined) return { kind: 'redirect', ...redirection };
  }
  const { action } = route;
  if (action.kind === 'respond') return { kind: 'respond', status: action.status, reason: action.reason };
  const unreachable = unreachableAuth(route, model);
  if (unreachable !== undefined) {
    return { kind: 'respond', status: 503, reason: `the auth service ${unreachable} has no endpoint.` };
  }
  return explainForward(route, action, model, target, path, covered, engine);
}

function routeView(route: Route, reason: ExplainedRoute['reason'], why: string): ExplainedRoute {
  return {
    id: route.id,
    ...(route.name === undefined ? {} : { name: route.name }),
    match: matchText(route.match),
    won: reason === 'won',
    reason,
    why,
    origin: route.origin,
  };
}

function listenerView({ name, scope, protocol, port, origin }: Listener): NonNullable<Explanation['listener']> {
  return { name, scope, protocol, port, origin };
}

function stoppedNote(pattern: string): string {
  const text = pattern.length <= 100 ? pattern : `${pattern.slice(0, 100)}…`;
  return `The regular expression ${text} ${TOOK_TOO_LONG}.`;
}

function headerNotes(target: RequestTarget): string[] {
  if (!target.headers.has('x-forwarded-proto')) return [];
  return ['X-Forwarded-Proto is believed only from trusted proxies; here the scheme is that of the URL.'];
}
