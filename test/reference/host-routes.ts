import { annotation, isOn } from './annotation.ts';
import type { IngressManifest, IngressPath, ServiceReference } from './manifest.ts';

export interface PathText {
  readonly type: string;
  /** In bytes (latin1). */
  readonly path: string;
}

/** A path of a host, or what is left to a default backend. */
export interface HostRoute {
  readonly ingress: IngressManifest;
  readonly backend: ServiceReference;
  /** Absent for a default backend. */
  readonly match?: PathText;
  readonly canary?: { readonly ingress: IngressManifest; readonly backend: ServiceReference };
}

export interface HostRoutes {
  /** No two of the same type and path; oldest Ingress first, default backend last. */
  readonly routes: readonly HostRoute[];
  /** All paths are regular expressions. */
  readonly regular: boolean;
  readonly tls: boolean;
}

/** The host that stands for every host without a rule. */
export const ANY_HOST = '*';

const PATH_TYPES = ['Exact', 'Prefix', 'ImplementationSpecific'];
const HOST_NAME = /^(\*\.)?[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;

/** All that the Ingresses (those that are served, oldest first) say about one host; undefined where they say nothing. */
export function hostRoutes(ingresses: readonly IngressManifest[], host: string): HostRoutes | undefined {
  const mains = ingresses.filter((ingress) => !isOn(ingress, 'canary'));
  const concerned = mains.filter((ingress) => namesHost(ingress, host));
  const routes: HostRoute[] = [];
  const regular = concerned.some((ingress) => pathsOf(ingress, host).some((path) => wantsRegular(ingress, path)));
  for (const ingress of concerned) {
    const paths = pathsOf(ingress, host);
    const own: { readonly place: number; readonly route: HostRoute }[] = [];
    // What is written first is asked first, but of equal expressions the most exact type counts.
    for (const path of regular ? [...paths].sort(byType) : paths) {
      const match = matchOf(path);
      const earlier = [...routes, ...own.map(({ route }) => route)];
      if (earlier.some((route) => sameMatch(route.match, match, regular))) continue;
      own.push({ place: paths.indexOf(path), route: { ingress, backend: path.backend, match } });
    }
    routes.push(...own.sort((one, other) => one.place - other.place).map(({ route }) => route));
  }
  const withDefault = host === ANY_HOST ? mains : concerned;
  const fallback = withDefault.find(({ spec }) => spec.defaultBackend !== undefined);
  if (fallback?.spec.defaultBackend !== undefined) {
    routes.push({ ingress: fallback, backend: fallback.spec.defaultBackend });
  }
  // A host whose rules can't be served is a host all the same: its requests are nobody else's.
  if (routes.length === 0 && concerned.length === 0) return undefined;
  const canaries = ingresses.filter((ingress) => isOn(ingress, 'canary'));
  return {
    routes: routes.map((route) => withCanary(route, canaries, host, regular)),
    regular,
    tls: concerned.some(
      ({ spec }) => spec.tls?.some(({ hosts }) => hosts?.some((name) => covers(name, host))) === true,
    ),
  };
}

/** A canary belongs to the route of the same host, path and type in its namespace; the oldest one counts. */
function withCanary(route: HostRoute, canaries: readonly IngressManifest[], host: string, regular: boolean): HostRoute {
  for (const ingress of canaries) {
    if (ingress.metadata.namespace !== route.ingress.metadata.namespace) continue;
    const path = pathsOf(ingress, host).find((one) => sameMatch(route.match, matchOf(one), regular));
    if (path !== undefined) return { ...route, canary: { ingress, backend: path.backend } };
  }
  return route;
}

function namesHost(ingress: IngressManifest, host: string): boolean {
  return (ingress.spec.rules ?? []).some((rule) => hostOf(rule.host) === host);
}

function pathsOf(ingress: IngressManifest, host: string): readonly IngressPath[] {
  return (ingress.spec.rules ?? [])
    .filter((rule) => hostOf(rule.host) === host)
    .flatMap(({ http }) => http.paths)
    .filter(({ path = '/', pathType }) => path.startsWith('/') && PATH_TYPES.includes(pathType));
}

/** DNS names know no case; one that is no name gives no rule. */
function hostOf(host: string | undefined): string | undefined {
  if (host === undefined) return ANY_HOST;
  const name = host.toLowerCase();
  return HOST_NAME.test(name) ? name : undefined;
}

function matchOf({ path = '/', pathType }: IngressPath): PathText {
  return { type: pathType, path: Buffer.from(path).toString('latin1') };
}

/**
 * ingress-nginx: `use-regex` or `rewrite-target` on one Ingress makes regular expressions of all paths of its host. A
 * rewrite to the very path that is written there is none.
 */
function wantsRegular(ingress: IngressManifest, { path = '/' }: IngressPath): boolean {
  return isOn(ingress, 'use-regex') || (annotation(ingress, 'rewrite-target') ?? path) !== path;
}

/** Kubernetes: of paths that match equally, Exact before Prefix. */
function byType(one: IngressPath, other: IngressPath): number {
  return PATH_TYPES.indexOf(one.pathType) - PATH_TYPES.indexOf(other.pathType);
}

/**
 * The slash at the end of a Prefix is no part of it: `/foo/` matches what `/foo` does (the table of path types). As
 * regular expressions, paths of different types are the same if they are written the same.
 */
function sameMatch(taken: PathText | undefined, { type, path }: PathText, regular: boolean): boolean {
  if (taken === undefined) return false;
  if (regular) return taken.path === path;
  if (taken.type !== type) return false;
  return type === 'Prefix' ? bare(taken.path) === bare(path) : taken.path === path;
}

/** Whether a certificate for this name is one for the host: a wildcard stands for one label. */
function covers(name: string, host: string): boolean {
  const lower = name.toLowerCase();
  return lower === host || (lower.startsWith('*.') && lower.slice(1) === host.slice(host.indexOf('.')));
}

/** A Prefix without the slash at its end; `/` stays. */
export function bare(prefix: string): string {
  return prefix.length > 1 ? prefix.replace(/\/$/, '') : prefix;
}
