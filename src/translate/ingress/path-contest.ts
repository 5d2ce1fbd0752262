/** Which paths of a host are served: all that Ingresses ask for, less those that another one has already. */
import { finding } from '../../diagnostics/catalogue.ts';
import type { Finding } from '../../diagnostics/finding.ts';
import { INGRESS_FINDINGS } from '../../diagnostics/ingress.ts';
import { closableBeginning } from '../../lib/literal-beginning.ts';
import { pcreProblem } from '../../lib/pcre.ts';
import type { PathMatch } from '../../model/match.ts';
import { originOf } from '../../snapshot/object-head.ts';
import { literalMatch, neverMatches, type PathRule, type PathType, quoted, regexMatch } from './path-rule.ts';
import type { HostPart, ServedIngress } from './served-ingress.ts';

/** An Ingress, and its part in the host that is looked at. */
export interface Contributor {
  readonly ingress: ServedIngress;
  readonly part: HostPart;
}

export interface Contestant {
  readonly ingress: ServedIngress;
  readonly rule: PathRule;
  readonly match: PathMatch;
  /** The path is a regular expression that no engine takes: the route is there to be closed, and a driver closes what it can of it. */
  readonly uncompilable: boolean;
}

export interface Contest {
  /** By `matchIdentity`. */
  readonly winners: ReadonlyMap<string, Contestant>;
  readonly findings: readonly Finding[];
  /** Turns a rule of this host into what it matches. */
  readonly matchOf: (rule: PathRule) => PathMatch;
}

export function matchIdentity({ kind, value }: PathMatch): string {
  return `${kind} ${value}`;
}

/** `contributors`: the main Ingresses of the host, oldest first. */
export function contestPaths(hostname: string, contributors: readonly Contributor[]): Contest {
  const trigger = contributors.find(turnsRegexOn);
  const matchOf = trigger === undefined ? literalMatch : regexMatch;
  const winners = new Map<string, Contestant>();
  const findings: Finding[] = [];
  for (const contributor of contributors) {
    const { ingress, part } = contributor;
    if (trigger !== undefined && !turnsRegexOn(contributor)) {
      findings.push(...becameRegex(contributor, trigger.ingress));
    }
    for (const rule of trigger === undefined ? part.paths : byType(part.paths)) {
      const match = matchOf(rule);
      const origin = originOf(ingress.object, `${rule.field}.path`);
      const problem = match.kind === 'regex' ? pcreProblem(match.value) : undefined;
      if (problem !== undefined) {
        const message = `Path ${quoted(rule.value)} is no valid regular expression (${problem}); ${uncompilableOutcome(rule.value)}.`;
        findings.push(finding(INGRESS_FINDINGS.pathRegexInvalid, origin, message));
      }
      const identity = matchIdentity(match);
      const winner = winners.get(identity);
      if (winner !== undefined) {
        const message = `Path ${quoted(rule.value)} of host ${hostname} is taken by ${winnerText(winner, ingress)}; it is not served here.`;
        findings.push(finding(INGRESS_FINDINGS.pathConflict, origin, message));
        continue;
      }
      winners.set(identity, { ingress, rule, match, uncompilable: problem !== undefined });
      const never = match.kind === 'regex' ? undefined : neverMatches(rule);
      if (never !== undefined) {
        const message = `Path ${quoted(rule.value)} ${never}, so no request matches it.`;
        findings.push(finding(INGRESS_FINDINGS.pathNeverMatches, origin, message));
      }
    }
  }
  return { winners, findings, matchOf };
}

/** ingress-nginx: a rewrite to the very path that is written there is none, and turns nothing on. */
function turnsRegexOn({ ingress: { settings }, part }: Contributor): boolean {
  const { useRegex, rewriteTarget } = settings;
  return part.paths.some(({ value }) => useRegex || (rewriteTarget !== undefined && rewriteTarget !== value));
}

const TYPE_ORDER: readonly PathType[] = ['Exact', 'Prefix', 'ImplementationSpecific'];

/** As regular expressions paths of different types can be the same: then the more exact one counts. */
function byType(paths: readonly PathRule[]): readonly PathRule[] {
  return [...paths].sort((a, b) => TYPE_ORDER.indexOf(a.type) - TYPE_ORDER.indexOf(b.type));
}

function becameRegex({ ingress, part }: Contributor, trigger: ServedIngress): readonly Finding[] {
  const rule = part.paths.find(({ type }) => type !== 'ImplementationSpecific');
  if (rule === undefined) return [];
  const { key, settings } = trigger;
  const cause = settings.useRegex ? 'use-regex' : 'rewrite-target';
  const message = `${cause} on Ingress ${key} turns the paths of this host into regular expressions: ${rule.type} path ${quoted(rule.value)} now matches without case and whatever follows.`;
  return [finding(INGRESS_FINDINGS.pathBecameRegex, originOf(ingress.object, `${rule.field}.path`), message)];
}

function uncompilableOutcome(pattern: string): string {
  const beginning = closableBeginning(pattern);
  return beginning === undefined ? 'it is not served' : `paths that begin with ${quoted(beginning)} answer 503`;
}

function winnerText(winner: Contestant, loser: ServedIngress): string {
  if (winner.ingress === loser) return `${winner.rule.field} of the same Ingress`;
  const { created } = winner.ingress.object;
  const why = created === loser.object.created ? 'which comes first by name' : 'which is older';
  return `Ingress ${winner.ingress.key} (${winner.rule.field}), ${why}`;
}
