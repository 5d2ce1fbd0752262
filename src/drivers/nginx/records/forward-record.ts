import { originText } from '../../../model/origin.ts';
import type { Canary, Route } from '../../../model/route.ts';
import type { Profile } from '../conf/profile.ts';
import { upstreamName } from '../conf/upstream-block.ts';
import type { CanaryRecord, RouteRecord } from '../wire.ts';
import { renderAffinity } from './affinity-record.ts';
import type { ChosenForward } from './forward.ts';
import { recordName } from './record-key.ts';
import type { RouteDefaults } from './render-context.ts';

/** nginx takes milliseconds in 32 bits; "none" is the longest of them, about 24 days. */
const NO_TIMEOUT_SECONDS = 2_147_483;

export function renderForward(
  route: Route,
  { action }: ChosenForward,
  profiles: readonly Profile[],
  defaults: RouteDefaults,
): Partial<RouteRecord> {
  const record: Partial<RouteRecord> = {};
  const bodyLimit = route.bodyLimit ?? defaults.bodyLimit;
  if (bodyLimit !== 0) record.bodyLimit = bodyLimit;
  for (const profile of profiles) {
    const location = profile.location ?? profile.name;
    if (profile.bodyLimit === 0) record.profile = location;
    else record.boundedProfile = location;
    if (profile.identity === undefined) continue;
    // One may stand for both.
    record.profile = location;
    const { shared, serverName = '' } = profile.identity;
    if (shared !== undefined) record.identity = [upstreamName(profile), serverName];
  }
  record.timeouts = [
    seconds(route.timeouts?.connect, defaults.connectTimeout),
    seconds(route.timeouts?.send, defaults.sendTimeout),
    seconds(route.timeouts?.read, defaults.readTimeout),
  ];
  record.tries = route.retry?.tries ?? defaults.tries;
  if (route.retry !== undefined) {
    const errors = route.retry.on.includes('connection-error');
    const timeouts = route.retry.on.includes('timeout');
    if (!errors && !timeouts) record.tries = 1;
    else if (!timeouts) record.retryOnly = 'error';
    else if (!errors) record.retryOnly = 'timeout';
  }
  if (route.retry?.timeoutSeconds !== undefined && route.retry.timeoutSeconds > 0) {
    record.retryTimeout = route.retry.timeoutSeconds;
  }
  if (route.affinity?.kind === 'cookie') record.affinity = renderAffinity(route.affinity);
  if (route.connectionHeader !== undefined) record.connection = route.connectionHeader;
  record.backends = action.backends
    .filter(({ weight }) => weight > 0)
    .map(({ backend, weight }): [string, number] => [recordName(backend), weight]);
  if (action.canaries.length > 0) record.canaries = action.canaries.map(renderCanary);
  return record;
}

function renderCanary(canary: Canary): CanaryRecord {
  const { headerMatch } = canary;
  return {
    backend: recordName(canary.backend),
    ...(canary.header === undefined ? {} : { header: canary.header }),
    ...(headerMatch === undefined
      ? {}
      : { headerMatch: headerMatch.kind === 'present' ? { kind: 'regex' as const, value: '' } : { ...headerMatch } }),
    ...(canary.cookie === undefined ? {} : { cookie: canary.cookie }),
    weight: canary.weight,
    total: canary.weightTotal,
    ...(canary.followsAffinity ? { sticky: true } : {}),
    origin: originText(canary.origin),
  };
}

function seconds(value: number | undefined, byDefault: number): number {
  if (value === undefined) return byDefault;
  return value === 0 ? NO_TIMEOUT_SECONDS : Math.min(value, NO_TIMEOUT_SECONDS);
}
