/**
 * Every precedence rule of the program, in one place.
 *
 * Routes of a host are kept in canonical order and the first that matches wins. That gives the same winner as looking
 * the path up by class: exact values, then regular expressions in their order, then prefixes from the longest down.
 *
 * Sources: "HTTPRouteRule.matches" of the Gateway API reference (exact path, longest prefix, method, number of headers,
 * number of query parameters, oldest route, `namespace/name`, first rule); "Multiple matches" of the Kubernetes Ingress
 * documentation (longest path, exact before prefix); "location" of nginx's ngx_http_core_module (exact, then regular
 * expressions in order, then the longest prefix); ingress-nginx, "Ingress Path Matching" (regular expressions sorted by
 * length, longest first; the oldest Ingress wins between equals).
 */
import { compareIpAddresses, parseIpAddress } from '../lib/ip-address.ts';
import { compareNatural, compareText } from '../lib/text-order.ts';
import type { Backend, Endpoint } from './backend.ts';
import type { Certificate } from './certificate.ts';
import { compareHostnames } from './hostname.ts';
import type { L4Route } from './l4-route.ts';
import type { Listener } from './listener.ts';
import type { Match, PathMatch } from './match.ts';
import type { ObjectRef, Origin } from './origin.ts';
import type { Route } from './route.ts';
import type { VirtualHost } from './virtual-host.ts';

/** Canonical order of the routes of one host: negative if `a` is asked before `b`. Total: 0 only for the same route. */
export function compareRoutes(a: Route, b: Route): number {
  return (
    comparePaths(a.match.path, b.match.path) ||
    compareConditions(a.match, b.match) ||
    compareAges(a.created, b.created) ||
    compareOrigins(a.origin, b.origin) ||
    // One field may make several routes (a path of a Gateway API rule with several matches has one field each, but a
    // translator may split further); the id tells them apart.
    compareNatural(a.id, b.id) ||
    // Values that can't match the same path, or are the same.
    compareText(a.match.path.value, b.match.path.value)
  );
}

/**
 * Order by path alone; 0 where only conditions, age and origin can decide.
 *
 * Exact values and prefixes of the same length that differ never match the same request, so their order is free; by
 * value it doesn't depend on anything else. Regular expressions of one length may overlap, so value must not decide
 * before age does.
 */
export function comparePaths(a: PathMatch, b: PathMatch): number {
  const byClass = pathClass(a) - pathClass(b);
  if (byClass !== 0) return byClass;
  if (a.kind === 'regex' && b.kind === 'regex') {
    return (b.rank ?? 0) - (a.rank ?? 0) || b.value.length - a.value.length;
  }
  const x = effectiveValue(a);
  const y = effectiveValue(b);
  if (pathClass(a) === EXACT) return compareText(x, y);
  return (
    y.length - x.length ||
    compareText(x, y) ||
    // `/a` by element matches a part of what `/a` by characters does: the narrower one is asked first.
    Number(a.kind === 'text-prefix') - Number(b.kind === 'text-prefix')
  );
}

const EXACT = 0;
const REGEX = 1;
const PREFIX = 2;

function pathClass(path: PathMatch): number {
  if (path.kind === 'exact') return EXACT;
  return path.kind === 'regex' ? REGEX : PREFIX;
}

/** A prefix by element is the same with and without its trailing slash. */
function effectiveValue({ kind, value }: PathMatch): string {
  return kind === 'prefix' && value.endsWith('/') ? value.replace(/\/+$/, '') || '/' : value;
}

/** The more specific conditions first: a method, then the number of headers, then of query parameters. */
export function compareConditions(a: Match, b: Match): number {
  return (
    Number(b.method !== undefined) - Number(a.method !== undefined) ||
    (b.headers?.length ?? 0) - (a.headers?.length ?? 0) ||
    (b.query?.length ?? 0) - (a.query?.length ?? 0)
  );
}

/** The older first. A part without a time (manifests have none) is younger than every part that has one. */
export function compareAges(a: string | undefined, b: string | undefined): number {
  if (a === b) return 0;
  const x = timeOf(a);
  const y = timeOf(b);
  return x < y ? -1 : x > y ? 1 : 0;
}

function timeOf(text: string | undefined): number {
  if (text === undefined) return Number.POSITIVE_INFINITY;
  const time = Date.parse(text);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

/** By `namespace/name` as one text (so the Gateway API has it), then kind, then place in the object's lists. */
export function compareOrigins(a: Origin, b: Origin): number {
  return compareObjects(a.object, b.object) || compareNatural(a.field, b.field);
}

function compareObjects(a: ObjectRef, b: ObjectRef): number {
  const byName =
    a.namespace === b.namespace
      ? compareText(a.name, b.name)
      : compareText(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`);
  return byName || compareText(a.kind, b.kind);
}

/** By address as a number (IPv4 first), then port. What isn't an address comes last, by its text. */
export function compareEndpoints(a: Endpoint, b: Endpoint): number {
  if (a.address !== b.address) {
    const x = parseIpAddress(a.address);
    const y = parseIpAddress(b.address);
    if (x === undefined || y === undefined) {
      return Number(x === undefined) - Number(y === undefined) || compareText(a.address, b.address);
    }
    const order = compareIpAddresses(x, y);
    if (order !== 0) return order;
  }
  return a.port - b.port || compareText(a.address, b.address);
}

/** By scope, then the most specific name first. */
export function compareHosts(a: VirtualHost, b: VirtualHost): number {
  return compareText(a.scope, b.scope) || compareHostnames(a.hostname, b.hostname);
}

/** By port, then the most specific name first (the order in which listeners of a port are asked), then name. */
export function compareListeners(a: Listener, b: Listener): number {
  return a.port - b.port || compareHostnames(a.hostname ?? '*', b.hostname ?? '*') || compareNatural(a.name, b.name);
}

export function compareBackends(a: Backend, b: Backend): number {
  return compareNatural(a.id, b.id);
}

export function compareCertificates(a: Certificate, b: Certificate): number {
  return compareNatural(a.id, b.id);
}

/** By listener; between routes that want the same server name the older wins. */
export function compareL4Routes(a: L4Route, b: L4Route): number {
  return (
    compareNatural(a.listener, b.listener) ||
    compareAges(a.created, b.created) ||
    compareOrigins(a.origin, b.origin) ||
    compareNatural(a.id, b.id)
  );
}

/** Routes in canonical order; the argument is left alone. */
export function sortRoutes(routes: readonly Route[]): Route[] {
  return [...routes].sort(compareRoutes);
}

/** Endpoints in canonical order, each address and port once (the first stays); the argument is left alone. */
export function sortEndpoints(endpoints: readonly Endpoint[]): Endpoint[] {
  return [...endpoints].sort(compareEndpoints).filter((endpoint, index, sorted) => {
    const before = sorted[index - 1];
    return before === undefined || before.address !== endpoint.address || before.port !== endpoint.port;
  });
}
