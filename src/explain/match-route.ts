import type { NamedMatch, ValueMatch } from '../model/match.ts';
import type { Route } from '../model/route.ts';
import type { ExplainedRoute } from './explanation.ts';
import { conditionText, pathText } from './match-text.ts';
import type { RegexAnswer, RegexEngine } from './regex-engine.ts';
import { queryValue, type RequestTarget } from './request-target.ts';

/** What a path match gives to the filters. */
export interface Covered {
  /** Characters that a prefix covered. */
  readonly prefixLength: number;
  readonly captures: readonly string[];
  readonly named: Readonly<Record<string, string>>;
}

export type RouteVerdict =
  | { readonly holds: true; readonly covered: Covered }
  | {
      readonly holds: false;
      readonly reason: Exclude<ExplainedRoute['reason'], 'won' | 'beaten'>;
      readonly why: string;
    };

/** Whether all conditions of a route hold for this request; the first that doesn't is told. */
export async function matchRoute(
  route: Route,
  path: string,
  target: RequestTarget,
  engine: RegexEngine,
): Promise<RouteVerdict> {
  const covered = await matchPath(route, path, engine);
  if ('why' in covered) return { holds: false, reason: 'path', why: covered.why };
  const { method, headers = [], query = [] } = route.match;
  if (method !== undefined && method !== target.method) {
    return { holds: false, reason: 'method', why: `asks for method ${method}, this is ${target.method}` };
  }
  for (const condition of headers) {
    const value = target.headers.get(condition.name.toLowerCase());
    const why = await refusal(condition, value, engine);
    if (why !== undefined)
      return { holds: false, reason: 'header', why: `asks for header ${conditionText(condition, ': ')}, ${why}` };
  }
  for (const condition of query) {
    const value = queryValue(target.query, condition.name);
    const why = await refusal(condition, value, engine);
    if (why !== undefined)
      return {
        holds: false,
        reason: 'query',
        why: `asks for query parameter ${conditionText(condition, '=')}, ${why}`,
      };
  }
  return { holds: true, covered };
}

async function matchPath(route: Route, path: string, engine: RegexEngine): Promise<Covered | { readonly why: string }> {
  const match = route.match.path;
  const why = `its path is ${pathText(match)}`;
  switch (match.kind) {
    case 'exact':
      return path === match.value ? whole(path.length) : { why };
    case 'text-prefix':
      return path.startsWith(match.value) ? whole(match.value.length) : { why };
    case 'prefix': {
      const value = match.value.replace(/\/$/, '');
      return path === value || path.startsWith(`${value}/`) ? whole(value.length) : { why };
    }
    case 'regex': {
      const answer = await engine({
        pattern: match.value,
        subject: path,
        ignoreCase: match.ignoreCase,
        anchored: true,
      });
      if (answer.matched) return { prefixLength: 0, captures: answer.captures, named: answer.named ?? {} };
      return { why: answer.error === undefined ? why : `${why}, which can't be used: ${answer.error}` };
    }
  }
}

function whole(prefixLength: number): Covered {
  return { prefixLength, captures: [], named: {} };
}

async function refusal(
  { match }: NamedMatch,
  value: string | undefined,
  engine: RegexEngine,
): Promise<string | undefined> {
  if (value === undefined) return 'which is missing';
  const answer = await valueHolds(match, value, engine);
  if (answer.matched) return undefined;
  return answer.error === undefined ? `which is "${value}"` : `which can't be used: ${answer.error}`;
}

export function valueHolds(match: ValueMatch, value: string, engine: RegexEngine): RegexAnswer | Promise<RegexAnswer> {
  if (match.kind === 'regex')
    return engine({ pattern: match.value, subject: value, ignoreCase: false, anchored: false });
  return match.kind === 'present' || value === match.value ? { matched: true, captures: [] } : { matched: false };
}
