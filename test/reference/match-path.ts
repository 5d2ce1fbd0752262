import { bare, type HostRoute, type HostRoutes, type PathText } from './host-routes.ts';
import { asPcreReads } from './pcre.ts';

export interface MatchedRoute {
  readonly route: HostRoute;
  /** What the groups of a regular expression captured, `$0` first; absent where the host has none. */
  readonly groups?: readonly string[];
  /** nginx asks the client to add the slash that the path ends with. */
  readonly slashMissing?: true;
}

/** The route of a host that takes a path, if there is one. */
export function matchPath({ routes, regular }: HostRoutes, path: string): MatchedRoute | undefined {
  const found = regular ? matchRegular(routes, path) : matchPlain(routes, path);
  if (found !== undefined) return found;
  const fallback = routes.find(({ match }) => match === undefined);
  return fallback && { route: fallback };
}

/** Kubernetes: the longest matching path wins; of equally long ones Exact before Prefix. */
function matchPlain(routes: readonly HostRoute[], path: string): MatchedRoute | undefined {
  const rank = ({ match }: HostRoute): readonly number[] => [
    match?.type === 'Exact' ? 1 : 0,
    match?.type === 'Prefix' ? bare(match.path).length : (match?.path.length ?? 0),
    match?.type === 'Prefix' ? 1 : 0,
  ];
  const found = routes.filter(({ match }) => match !== undefined && matchesPlain(match, path)).sort(descending(rank));
  // nginx' documentation of `location`: 301 to the form with the slash, unless that very form has a location.
  const slashed = routes.find(
    ({ match }) => match !== undefined && match.type !== 'Prefix' && match.path === `${path}/`,
  );
  const own = routes.some(
    ({ match }) => match?.path === path || (match?.type === 'Prefix' && bare(match.path) === path),
  );
  if (slashed !== undefined && path !== '' && !own) return { route: slashed, slashMissing: true };
  const [route] = found;
  return route && { route };
}

function matchesPlain({ type, path }: PathText, asked: string): boolean {
  if (type === 'Exact') return asked === path;
  if (type === 'ImplementationSpecific') return asked.startsWith(path);
  const elements = (text: string) => bare(text).split('/');
  const wanted = path === '/' ? [''] : elements(path);
  return wanted.every((element, index) => element === asked.split('/')[index]);
}

/** ingress-nginx: the longest is asked first; the first that matches wins. */
function matchRegular(routes: readonly HostRoute[], path: string): MatchedRoute | undefined {
  const rank = ({ match }: HostRoute): readonly number[] => [match?.path.length ?? 0];
  for (const route of routes.filter(({ match }) => match !== undefined).sort(descending(rank))) {
    const groups = new RegExp(`^(?:${asPcreReads(route.match?.path ?? '')})`, 'i').exec(path);
    if (groups !== null) return { route, groups: [...groups].map((group) => group ?? '') };
  }
  return undefined;
}

/** Stable: of equals the first stays first. */
function descending(rank: (route: HostRoute) => readonly number[]): (one: HostRoute, other: HostRoute) => number {
  return (one, other) => {
    const [left, right] = [rank(one), rank(other)];
    const index = left.findIndex((value, at) => value !== right[at]);
    return index < 0 ? 0 : (right[index] ?? 0) - (left[index] ?? 0);
  };
}
