import type { NamedMatch } from '../../../model/match.ts';
import { originText } from '../../../model/origin.ts';
import type { Route } from '../../../model/route.ts';
import type { ConditionRecord, PathRecord, RouteRecord } from '../wire.ts';
import { patternKey, type Pattern } from './pattern.ts';
import { standInCondition, standInPath } from './pattern-stand-in.ts';

export type MatchRecord = Pick<RouteRecord, 'origin' | 'path' | 'method' | 'headers' | 'query'>;

export interface RenderedMatch {
  /** Undefined: nothing can stand for the path's pattern, so the route is left out. */
  readonly record: MatchRecord | undefined;
  readonly patterns: readonly Pattern[];
  /** The first pattern that the engine refused; the record then has something weaker in its place. */
  readonly rejected?: { readonly pattern: string; readonly why: string; readonly isPath: boolean };
}

export function renderMatch(route: Route, rejectedPatterns: ReadonlyMap<string, string>): RenderedMatch {
  const { path, method, headers = [], query = [] } = route.match;
  const patterns: Pattern[] = [];
  let rejected: RenderedMatch['rejected'];
  const refusal = (pattern: Pattern, isPath: boolean): boolean => {
    patterns.push(pattern);
    const why = rejectedPatterns.get(patternKey(pattern));
    if (why !== undefined) rejected ??= { pattern: pattern.pattern, why, isPath };
    return why !== undefined;
  };
  const renderCondition = ({ name, match }: NamedMatch): ConditionRecord => {
    if (match.kind === 'present') return { name, kind: 'present' };
    const condition: ConditionRecord = { name, kind: match.kind, value: match.value };
    const refused = match.kind === 'regex' && refusal({ pattern: match.value, ignoreCase: false }, false);
    return refused ? standInCondition(condition) : condition;
  };
  let pathRecord: PathRecord | undefined = { kind: path.kind, value: path.value };
  if (path.kind === 'regex') {
    if (path.ignoreCase) pathRecord.ignoreCase = true;
    if (refusal({ pattern: path.value, ignoreCase: path.ignoreCase }, true)) {
      pathRecord = standInPath(path.value, path.ignoreCase);
    }
  }
  const headerRecords = headers.map(renderCondition);
  const queryRecords = query.map(renderCondition);
  const record: MatchRecord | undefined = pathRecord && {
    origin: originText(route.origin),
    path: pathRecord,
    ...(method === undefined ? {} : { method }),
    ...(headerRecords.length === 0 ? {} : { headers: headerRecords }),
    ...(queryRecords.length === 0 ? {} : { query: queryRecords }),
  };
  return { record, patterns, ...(rejected === undefined ? {} : { rejected }) };
}
