import { finding } from '../../../diagnostics/catalogue.ts';
import { DRIVER_FINDINGS } from '../../../diagnostics/drivers.ts';
import type { Finding } from '../../../diagnostics/finding.ts';
import type { Route } from '../../../model/route.ts';

/** Settings of a route that nginx's data plane has no means for yet; none of them restricts access. */
export function unsupportedSettings(route: Route): readonly Finding[] {
  const { timeouts = {}, retry, buffering, affinity } = route;
  const settings: readonly (readonly [string, boolean])[] = [
    ['a time-out for the whole request', positive(timeouts.request)],
    ['a time-out for one try', positive(timeouts.backendRequest)],
    ['retries on status codes', (retry?.statuses?.length ?? 0) > 0],
    ['a pause between tries', positive(retry?.backoffSeconds)],
    ['retries of requests that are not idempotent', retry?.on.includes('non-idempotent') ?? false],
    ['retries on invalid headers', retry?.on.includes('invalid-header') ?? false],
    ['buffering of its own', buffering !== undefined && Object.keys(buffering).length > 0],
    ['session affinity by header', affinity?.kind === 'header'],
    ['an absolute or idle end of sessions', positive(affinity?.absoluteTimeoutSeconds ?? affinity?.idleTimeoutSeconds)],
    ['SameSite=None by browser', affinity?.conditionalSameSiteNone ?? false],
  ];
  return settings
    .filter(([, asked]) => asked)
    .map(([what]) =>
      finding(
        DRIVER_FINDINGS.settingLeftOut,
        route.origin,
        `This route asks for ${what}, which nginx can not do yet; it is served without.`,
      ),
    );
}

function positive(value: number | undefined): boolean {
  return value !== undefined && value > 0;
}
