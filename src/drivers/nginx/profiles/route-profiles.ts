import type { Route } from '../../../model/route.ts';
import type { Profile } from '../conf/profile.ts';
import { profileName } from './profile-name.ts';

/**
 * The profiles that requests of a route go to: one without a bound on bodies, for those whose length is told and so is
 * compared before; and a bounded one for the others, where the route has a limit. Plain http without a bound and anything else is none.
 * `needs`: what else they must have. Each TLS identity makes nginx load authorities and keys anew for every location that has
 * it, so there the bounded one serves all: what it bounds has been compared by then.
 */
export function profilesOfRoute(
  route: Route,
  needs: Omit<Profile, 'name' | 'bodyLimit' | 'origins'>,
  defaultBodyLimit: number,
): readonly Profile[] {
  const limit = route.bodyLimit ?? defaultBodyLimit;
  return [...new Set(needs.identity === undefined ? [0, limit] : [limit])]
    .filter((bodyLimit) => needs.protocol !== 'http' || needs.readsBody === true || bodyLimit !== 0)
    .map((bodyLimit) => ({
      ...needs,
      name: profileName({ ...needs, bodyLimit }),
      bodyLimit,
      ...sharedLocation(needs, bodyLimit),
      origins: [route.origin],
    }));
}

function sharedLocation(
  { identity, ...needs }: Omit<Profile, 'name' | 'bodyLimit' | 'origins'>,
  bodyLimit: number,
): Pick<Profile, 'location'> {
  if (identity?.shared === undefined) return {};
  return { location: profileName({ ...needs, identity: { ...identity, name: `any_${identity.shared}` }, bodyLimit }) };
}
