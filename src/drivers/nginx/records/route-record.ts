import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import { pcreProblem } from '../../../lib/pcre.ts';
import type { Action, Route } from '../../../model/route.ts';
import type { Profile } from '../conf/profile.ts';
import { profilesOfRoute } from '../profiles/route-profiles.ts';
import type { RouteRecord } from '../wire.ts';
import { renderFilters } from './filters.ts';
import { type BackendNeeds, chooseForward } from './forward.ts';
import { renderForward } from './forward-record.ts';
import { patternKey, type Pattern } from './pattern.ts';
import type { RenderContext } from './render-context.ts';
import { renderMatch } from './route-match.ts';
import { unsupportedSettings } from './unsupported-settings.ts';

type ProfileNeeds = Parameters<typeof profilesOfRoute>[1];

export interface RenderedRoute {
  /** Undefined: left out, which a finding says. */
  readonly record: RouteRecord | undefined;
  readonly findings: readonly Finding[];
  readonly profiles: readonly Profile[];
  readonly patterns: readonly Pattern[];
  /** The record stands in for a path pattern that doesn't compile, and must not come before routes that are more exact. */
  readonly standsIn: boolean;
}

/**
 * One route as the data plane reads it. A route that can't be served as asked, and would be open where it is meant to be
 * closed, answers 503; every difference from what was asked is a finding on the route's origin.
 */
export function renderRoute(route: Route, context: RenderContext): RenderedRoute {
  const match = renderMatch(route, context.rejectedPatterns);
  const canaries = dropRejectedCanaries(route, context.rejectedPatterns);
  const patterns = [...match.patterns, ...canaries.patterns];
  const filters = renderFilters(route.filters, context.backends, route.origin);
  const findings: Finding[] = [...filters.findings, ...canaries.findings];
  const rendered = (record: RouteRecord | undefined, profiles: readonly Profile[] = [], standsIn = false) => ({
    record,
    findings,
    profiles,
    patterns,
    standsIn,
  });
  const closed = (reason: string): RouteRecord | undefined =>
    match.record && { ...match.record, respond: { status: 503, reason } };

  if (match.rejected !== undefined) {
    const { pattern, why, isPath } = match.rejected;
    const outcome = match.record === undefined ? 'The route is not served' : 'The route answers 503';
    const message = `The regular expression "${shown(pattern)}" does not compile: ${why.slice(0, MOST_SHOWN)}. ${outcome}.`;
    // Closed already, by a translator that saw it too: it has said so.
    const known = isPath && route.action.kind === 'respond' && pcreProblem(pattern) !== undefined;
    if (!known) findings.push(finding(DRIVER_FINDINGS.badPattern, route.origin, message));
    return rendered(closed('A regular expression of this route does not compile.'), [], isPath);
  }
  if (match.record === undefined) return rendered(undefined);
  if (filters.closed) return rendered(closed('An access rule of this route is not supported.'));
  const base: RouteRecord = { ...match.record, ...filters.record };
  if (route.accessLog === false) base.accessLog = false;
  if (canaries.action.kind === 'respond') {
    const { status, reason } = canaries.action;
    if (base.auth !== undefined && status < 400) {
      const message = 'nginx can not ask an external auth service before an answer of its own; the route answers 503.';
      findings.push(finding(DRIVER_FINDINGS.accessRuleClosed, route.origin, message));
      return rendered(closed('An access rule of this route is not supported.'));
    }
    return rendered({ ...base, respond: { status, reason } });
  }
  const forward = chooseForward(canaries.action, context, route.origin);
  findings.push(...forward.findings, ...unsupportedSettings(route));
  if (forward.closed) return rendered(closed('The backend of this route can not be reached as asked.'));
  const needs = copyNeeds(base, forward.needs, route, findings);
  const profiles = profilesOfRoute(route, needs, context.defaults.bodyLimit);
  const refused = profiles.find(({ name }) => context.quarantinedProfiles.has(name));
  if (refused !== undefined) {
    const why = context.quarantinedProfiles.get(refused.name) ?? '';
    const message = `nginx refuses the configuration that this route needs: ${why}. The route answers 503, everything else is served.`;
    findings.push(finding(DRIVER_FINDINGS.quarantined, route.origin, message));
    return rendered(closed('The configuration of this route is refused.'), profiles);
  }
  return rendered({ ...base, ...renderForward(route, forward, profiles, context.defaults) }, profiles);
}

/** What the profile must have besides so that bodies can be copied; takes mirrors away where none can be. */
function copyNeeds(record: RouteRecord, needs: BackendNeeds, { origin }: Route, findings: Finding[]): ProfileNeeds {
  const bodies = record.mirrors?.some(({ withoutBody }) => withoutBody !== true) ?? false;
  if (!bodies) return needs;
  if (needs.protocol === 'http' || needs.protocol === 'https') return { ...needs, readsBody: true };
  delete record.mirrors;
  const message = 'Requests to a backend that speaks HTTP/2 can not be copied with their bodies; no copies are sent.';
  findings.push(finding(DRIVER_FINDINGS.filterLeftOut, origin, message));
  return needs;
}

interface CheckedCanaries {
  readonly action: Action;
  readonly patterns: readonly Pattern[];
  readonly findings: readonly Finding[];
}

/** A canary whose header pattern doesn't compile gets no requests; the route goes on without it. */
function dropRejectedCanaries(route: Route, rejectedPatterns: ReadonlyMap<string, string>): CheckedCanaries {
  const { action } = route;
  if (action.kind === 'respond' || action.canaries === undefined) return { action, patterns: [], findings: [] };
  const patterns: Pattern[] = [];
  const findings: Finding[] = [];
  const canaries = action.canaries.filter(({ headerMatch, origin }) => {
    if (headerMatch?.kind !== 'regex') return true;
    const pattern = { pattern: headerMatch.value, ignoreCase: false };
    patterns.push(pattern);
    const why = rejectedPatterns.get(patternKey(pattern));
    if (why === undefined) return true;
    const message = `The regular expression "${shown(headerMatch.value)}" does not compile: ${why.slice(0, MOST_SHOWN)}. This canary gets no requests.`;
    findings.push(finding(DRIVER_FINDINGS.badPattern, origin, message));
    return false;
  });
  return { action: { ...action, canaries }, patterns, findings };
}

/** Characters of a pattern that a message quotes; the object has the rest. */
const MOST_SHOWN = 500;

function shown(pattern: string): string {
  return pattern.length <= MOST_SHOWN ? pattern : `${pattern.slice(0, MOST_SHOWN)}…`;
}
