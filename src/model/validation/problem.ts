import type { ModelTable } from '../model.ts';

/** Kinds of fault that a model can have. Each means a bug in what made it, or a damaged file. */
export const PROBLEM_NAMES = [
  'shape',
  'key',
  'unknown-backend',
  'unknown-certificate',
  'unknown-listener',
  'scope-without-listener',
  'wrong-protocol',
  'hostname',
  'address',
  'port-conflict',
  'path',
  'header',
  'regex-captures',
  'order',
  'duplicate',
  'weight',
  'status',
  'time',
  'tls',
] as const;
export type ProblemName = (typeof PROBLEM_NAMES)[number];

export interface ModelProblem {
  readonly name: ProblemName;
  readonly table: ModelTable;
  readonly key: string;
  /** Where in the part: `routes[0].action.backends[1].backend`; '' for the part itself. */
  readonly path: string;
  /** What stands there. */
  readonly what: string;
  /** The rule that it breaks. */
  readonly why: string;
}

/** Takes what a check finds wrong, with the path in the part. */
export type Report = (name: ProblemName, path: string, what: string, why: string) => void;

/** `hosts["main/shop.example"].routes[0].match.path: "shop" (path: a path begins with a slash)` */
export function problemText(problem: ModelProblem): string {
  const place = `${problem.table}[${JSON.stringify(problem.key)}]`;
  const path = problem.path === '' ? place : `${place}.${problem.path}`;
  return `${path}: ${problem.what} (${problem.name}: ${problem.why})`;
}
