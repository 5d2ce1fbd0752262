import type { Route } from '../../../model/route.ts';
import type { Profile } from '../conf/profile.ts';
import { profileName } from './profile-name.ts';

/**
 * The profiles that requests of a route go to: one without a bound on bodies, for those whose length is told and so is
 * compared before; and a bounded one for the others, where the route has a limit. Plain http without a bound is none.
 */
export function profilesOfRoute(
  route: Route,
  protocol: Profile['protocol'],
  defaultBodyLimit: number,
): readonly Profile[] {
  return [...new Set([0, route.bodyLimit ?? defaultBodyLimit])]
    .filter((bodyLimit) => protocol !== 'http' || bodyLimit !== 0)
    .map((bodyLimit) => ({ name: profileName(protocol, bodyLimit), protocol, bodyLimit, origins: [route.origin] }));
}
