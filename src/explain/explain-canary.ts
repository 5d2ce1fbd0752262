import type { Canary } from '../model/route.ts';
import type { ExplainedCanary } from './explanation.ts';
import { percent } from './percent.ts';
import { conditionText } from './match-text.ts';
import { TOOK_TOO_LONG, valueHolds } from './match-route.ts';
import type { RegexEngine } from './regex-engine.ts';
import { cookieValue, type RequestTarget } from './request-target.ts';

export interface CanaryJudgement {
  readonly explained: ExplainedCanary;
  /** Chance, 0 to 1, that it takes a request like this one that reaches it. */
  readonly chance: number;
}

/** The rules of a canary for this request: header, then cookie, then weight; the first that decides wins. */
export async function explainCanary(
  canary: Canary,
  target: RequestTarget,
  engine: RegexEngine,
): Promise<CanaryJudgement> {
  const rules: ExplainedCanary['rules'] = [];
  const judged = (verdict: ExplainedCanary['verdict'], chance: number): CanaryJudgement => ({
    explained: { backend: canary.backend, rules, verdict, origin: canary.origin },
    chance,
  });
  const asked: readonly (readonly [rule: string, says: Answer])[] = [
    ...(canary.header === undefined ? [] : [await byHeader(canary, canary.header, target, engine)]),
    ...(canary.cookie === undefined ? [] : [byCookie(canary.cookie, target)]),
  ];
  for (const [rule, answer] of asked) {
    rules.push({ rule, says: answer.says });
    if (answer.takes !== undefined) return judged(answer.takes ? 'takes it' : 'leaves it', answer.takes ? 1 : 0);
  }
  const chance = canary.weight / canary.weightTotal;
  rules.push({ rule: `weight ${canary.weight} of ${canary.weightTotal}`, says: percent(chance) });
  if (chance === 0) return judged('leaves it', 0);
  return chance >= 1 ? judged('takes it', 1) : judged('by chance', chance);
}

/** `takes` undefined: the next rule is asked. */
interface Answer {
  readonly says: string;
  readonly takes?: boolean;
}

async function byHeader(
  canary: Canary,
  name: string,
  target: RequestTarget,
  engine: RegexEngine,
): Promise<readonly [string, Answer]> {
  const value = target.headers.get(name.toLowerCase());
  const match = canary.headerMatch;
  if (match === undefined) return [`header ${name}: always or never`, word(value)];
  const rule = `header ${conditionText({ name, match }, ': ')}`;
  if (value === undefined) return [rule, { says: 'missing: the next rule decides' }];
  const answer = await valueHolds(match, value, engine);
  if (answer.matched) return [rule, { says: `"${value}" matches: it takes the request`, takes: true }];
  if (answer.tookTooLong === true) return [rule, { says: `"${value}" ${TOOK_TOO_LONG}: the next rule decides` }];
  return [rule, { says: `"${value}" doesn't match: the next rule decides` }];
}

function byCookie(name: string, target: RequestTarget): readonly [string, Answer] {
  return [`cookie ${name}: always or never`, word(cookieValue(target.headers, name))];
}

function word(value: string | undefined): Answer {
  if (value === 'always') return { says: '"always": it takes the request', takes: true };
  if (value === 'never') return { says: '"never": it leaves the request', takes: false };
  return {
    says: value === undefined ? 'missing: the next rule decides' : `"${value}" says nothing: the next rule decides`,
  };
}
