/** Puts what an Ingress' settings say onto one of its paths. */
import type { BackendTls } from '../../model/backend.ts';
import type { Filter } from '../../model/filter.ts';
import type { PathMatch } from '../../model/match.ts';
import type { Action, Route } from '../../model/route.ts';
import { originOf } from '../../snapshot/object-head.ts';
import type { BackendSettings } from '../services/backend-spec.ts';
import type { ServedIngress } from './served-ingress.ts';
import type { IngressSettings } from './settings.ts';

export interface RouteBasis {
  readonly id: string;
  readonly ingress: ServedIngress;
  readonly match: PathMatch;
  /** `spec.rules[0].http.paths[0]` */
  readonly field: string;
  readonly action: Action;
  /** Filters for the services that the Ingress names by URL. */
  readonly services: readonly Filter[];
  /** Answers 503 whatever is asked: nothing of the settings comes before that but the redirect to HTTPS. */
  readonly closed: boolean;
}

export interface RouteSurroundings {
  readonly hostHasTls: boolean;
  readonly httpsPort: number;
}

export function buildRoute(basis: RouteBasis, surroundings: RouteSurroundings): Route {
  const { id, ingress, match, field, action, services, closed } = basis;
  const { object, settings } = ingress;
  const { timeouts, buffering, retry, bodyLimit, affinity, connectionHeader, accessLog } = settings;
  const own = closed ? [] : settings.filters;
  return {
    id,
    match: { path: match },
    ...(object.created === undefined ? {} : { created: object.created }),
    filters: [
      // As in ingress-nginx: who is sent elsewhere isn't sent to HTTPS here before.
      ...own.filter(({ type }) => type === 'redirect'),
      ...httpsRedirect(settings, surroundings),
      ...own.filter(({ type }) => type !== 'redirect'),
      ...(action.kind === 'forward' ? [...services, ...rewrite(settings, match)] : []),
    ],
    action,
    ...(Object.keys(timeouts).length === 0 ? {} : { timeouts }),
    ...(retry === undefined ? {} : { retry }),
    ...(bodyLimit === undefined ? {} : { bodyLimit }),
    ...(Object.keys(buffering).length === 0 ? {} : { buffering }),
    // Browsers compare a cookie's path as text, so a regular expression is none.
    ...(affinity === undefined
      ? {}
      : { affinity: { ...affinity, path: affinity.path ?? (match.kind === 'regex' ? '/' : match.value) } }),
    ...(connectionHeader === undefined ? {} : { connectionHeader }),
    ...(accessLog === undefined ? {} : { accessLog }),
    origin: originOf(object, field),
  };
}

/** 301 from `/docs` to `/docs/`, as nginx does by itself for a location that ends with a slash; closed where that is. */
export function buildSlashRedirect(
  route: Route,
  { ingress, closed }: RouteBasis,
  surroundings: RouteSurroundings,
): Route {
  const value = route.match.path.value;
  return {
    id: `${route.id} without slash`,
    match: { path: { kind: 'exact', value: value.slice(0, -1) } },
    ...(route.created === undefined ? {} : { created: route.created }),
    filters: [
      ...(closed ? [] : [{ type: 'redirect', status: 301, path: { kind: 'full', value } } as const]),
      ...httpsRedirect(ingress.settings, surroundings),
    ],
    action: route.action,
    origin: route.origin,
  };
}

/** `tls`: what the settings say of it, with what the Secret holds. */
export function backendSettings(
  { backendProtocol, balancing, serviceUpstream }: IngressSettings,
  tls: BackendTls | undefined,
): BackendSettings {
  return {
    protocol: backendProtocol,
    ...(balancing === undefined ? {} : { balancing }),
    ...(tls === undefined ? {} : { tls }),
    serviceUpstream,
  };
}

function httpsRedirect({ httpsRedirect }: IngressSettings, { hostHasTls, httpsPort }: RouteSurroundings): Filter[] {
  if (httpsRedirect === 'never' || (httpsRedirect === 'tls' && !hostHasTls)) return [];
  return [{ type: 'https-redirect', status: 308, ...(httpsPort === 443 ? {} : { port: httpsPort }) }];
}

function rewrite({ rewriteTarget, upstreamHost, forwardedPrefix }: IngressSettings, match: PathMatch): Filter[] {
  // As in ingress-nginx: a rewrite to the very path that is written there is none.
  const path = match.kind !== 'regex' || rewriteTarget === match.value ? undefined : rewriteTarget;
  if (path === undefined && upstreamHost === undefined && forwardedPrefix === undefined) return [];
  return [
    {
      type: 'rewrite',
      ...(path === undefined ? {} : { path: { kind: 'captures', value: path } }),
      ...(upstreamHost === undefined ? {} : { hostname: upstreamHost }),
      ...(forwardedPrefix === undefined ? {} : { forwardedPrefix }),
    },
  ];
}
