import type { Match, NamedMatch, PathMatch } from '../model/match.ts';

/** `path /shop and below, method GET, header X-Beta: 1` */
export function matchText(match: Match): string {
  return [
    pathText(match.path),
    ...(match.method === undefined ? [] : [`method ${match.method}`]),
    ...(match.headers ?? []).map((condition) => `header ${conditionText(condition, ': ')}`),
    ...(match.query ?? []).map((condition) => `query ${conditionText(condition, '=')}`),
  ].join(', ');
}

export function pathText(path: PathMatch): string {
  switch (path.kind) {
    case 'exact':
      return `exactly ${path.value}`;
    case 'prefix':
      return path.value === '/' ? 'every path' : `${path.value} and below`;
    case 'text-prefix':
      return `begins with ${path.value}`;
    case 'regex':
      return `~ ${path.value}${path.ignoreCase ? ' (any case)' : ''}`;
  }
}

export function conditionText({ name, match }: NamedMatch, separator: string): string {
  if (match.kind === 'present') return `${name} (any value)`;
  return `${name}${separator}${match.kind === 'regex' ? `~ ${match.value}` : match.value}`;
}
