/** PCRE options of user patterns: compiled once and to machine code. Any error at match time counts as no match. */
const SEARCH = 'jo';
const PATH = 'ajo';
const PATH_IGNORING_CASE = 'aijo';

/** Options of a path pattern: anchored where the path begins, without touching the pattern's own text. */
export function pathOptions(ignoreCase: boolean | undefined): string {
  return ignoreCase === true ? PATH_IGNORING_CASE : PATH;
}

export function matchesPath(path: string, pattern: string, options: string): boolean {
  const [start] = ngx.re.find(path, pattern, options);
  return start !== undefined;
}

/** Whether the pattern is found anywhere in the text. */
export function found(text: string, pattern: string): boolean {
  const [start] = ngx.re.find(text, pattern, SEARCH);
  return start !== undefined;
}

/** What is wrong with a pattern, or undefined. */
export function patternProblem(pattern: string, options: string): string | undefined {
  const [, , problem] = ngx.re.find('', pattern, options);
  if (problem !== undefined && string.find(problem, 'compile', 1, true)[0] !== undefined) {
    return problem;
  }
  return undefined;
}

export function requirePattern(pattern: string, options: string): void {
  const problem = patternProblem(pattern, options);
  if (problem !== undefined) {
    error('the pattern ' + pattern + ' does not compile: ' + problem, 0);
  }
}

export function requireSearchPattern(pattern: string): void {
  requirePattern(pattern, SEARCH);
}
