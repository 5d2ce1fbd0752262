import type { Filter } from '../model/filter.ts';
import type { Model } from '../model/model.ts';
import type { Route } from '../model/route.ts';
import { percent } from './percent.ts';

type ExternalAuthFilter = Extract<Filter, { type: 'external-auth' }>;
type MirrorFilter = Extract<Filter, { type: 'mirror' }>;

/** Which service is asked whether the request may pass, and what becomes of it by the answer. */
export function authSentence({ auth }: ExternalAuthFilter, model: Model): string {
  const { backend, path, host, method = 'GET', signIn, cache } = auth;
  const unknown =
    signIn === undefined ? '401 and 403 are passed on' : `on 401 the client is sent to ${signIn.url}; 403 is passed on`;
  const kept = cache === undefined ? '' : ` Answers are kept by ${cache.key}.`;
  const at = `${method} ${path}${host === undefined ? '' : ` at host ${host}`}${unverified(backend, model)}`;
  return `The auth service ${backend} is asked first (${at}): 2xx lets the request through; ${unknown}; any other answer, or none, is 503.${kept}${problem(backend, model, 'every request gets 503')}`;
}

/** Under which condition the request goes on to its backend. */
export function authCondition({ auth }: ExternalAuthFilter): string {
  const unknown =
    auth.signIn === undefined
      ? 'its 401 and 403 are passed on'
      : `on its 401 the client is sent to ${auth.signIn.url}, its 403 is passed on`;
  return `only if the auth service ${auth.backend}, which is asked first, answers 2xx; ${unknown}, everything else is 503`;
}

/** Where copies of the request go. */
export function mirrorSentence({ backend, fraction, host, path, withBody }: MirrorFilter, model: Model): string {
  const share = fraction === undefined ? '' : `${percent(fraction.numerator / fraction.denominator)} of the requests, `;
  const as = [host === undefined ? '' : ` for host ${host}`, path === undefined ? '' : ` as ${path}`].join('');
  const body = withBody === false ? 'without' : 'with';
  return `A copy goes to ${backend}${as}${unverified(backend, model)} (${share}${body} body) when the answer is over; what comes back is dropped.${problem(backend, model, 'copies are lost')}`;
}

/** The auth service of a route that nobody can ask, so that each of its requests gets 503. */
export function unreachableAuth({ filters }: Route, model: Model): string | undefined {
  const asked = filters.find((filter): filter is ExternalAuthFilter => filter.type === 'external-auth');
  return asked === undefined || hasEndpoint(asked.auth.backend, model) ? undefined : asked.auth.backend;
}

function hasEndpoint(backend: string, model: Model): boolean {
  return (model.backends.get(backend)?.endpoints.length ?? 0) > 0;
}

function problem(backend: string, model: Model, outcome: string): string {
  return hasEndpoint(backend, model) ? '' : ` It has no endpoint: ${outcome}.`;
}

function unverified(backend: string, model: Model): string {
  const found = model.backends.get(backend);
  return found?.protocol === 'https' ? ', over HTTPS without verification' : '';
}
