import { closableBeginning, literalBeginning } from '../lib/literal-beginning.ts';
import { pcreProblem } from '../lib/pcre.ts';
import type { NamedMatch, ValueMatch } from '../model/match.ts';
import type { Route } from '../model/route.ts';
import type { ExplainedRoute } from './explanation.ts';
import { conditionText, pathText } from './match-text.ts';
import type { RegexAnswer, RegexEngine } from './regex-engine.ts';
import { queryValue, type RequestTarget } from './request-target.ts';

/** Of a regular expression that was given up. */
export const TOOK_TOO_LONG = 'took too long: treated as no match';

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
      /** The path is a regular expression that no engine takes: the route closes the paths that begin so, without regard to case where it has none. */
      readonly closes?: boolean;
    };

/** Whether all conditions of a route hold for this request; the first that doesn't is told. */
export async function matchRoute(
  route: Route,
  path: string,
  target: RequestTarget,
  engine: RegexEngine,
): Promise<RouteVerdict> {
  const covered = await matchPath(route, path, engine);
  if ('why' in covered) return { holds: false, reason: 'path', ...covered };
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

async function matchPath(
  route: Route,
  path: string,
  engine: RegexEngine,
): Promise<Covered | { readonly why: string; readonly closes?: boolean }> {
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
      if (answer.tookTooLong === true) return { why: `${why}, which ${TOOK_TOO_LONG}` };
      if (answer.error === undefined) return { why };
      // JavaScript refuses what only PCRE has; that nginx refuses it too is then not sure.
      const sure = answer.approximate !== true || pcreProblem(match.value) !== undefined;
      const beginning = sure ? closableBeginning(match.value) : undefined;
      return {
        why: `${why}, which can't be used: ${answer.error}`,
        closes: beginning !== undefined && startsWith(path, beginning, match.ignoreCase),
      };
    }
  }
}

/** Whether a route is less exact than one that closes what its broken expression begins with, which then comes first. */
export function yieldsTo(route: Route, closed: Route): boolean {
  const { path } = route.match;
  const beginning = path.kind === 'regex' ? literalBeginning(path.value) : path.value;
  const of = closableBeginning(closed.match.path.value) ?? '';
  return startsWith(of, beginning, path.kind === 'regex');
}

function startsWith(text: string, beginning: string, ignoreCase: boolean): boolean {
  return ignoreCase ? text.toLowerCase().startsWith(beginning.toLowerCase()) : text.startsWith(beginning);
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
  if (answer.tookTooLong === true) return `on which its regular expression ${TOOK_TOO_LONG}`;
  return answer.error === undefined ? `which is "${value}"` : `which can't be used: ${answer.error}`;
}

export function valueHolds(match: ValueMatch, value: string, engine: RegexEngine): RegexAnswer | Promise<RegexAnswer> {
  if (match.kind === 'regex')
    return engine({ pattern: match.value, subject: value, ignoreCase: false, anchored: false });
  return match.kind === 'present' || value === match.value ? { matched: true, captures: [] } : { matched: false };
}
