import type { Profile } from '../conf/profile.ts';
import { profileName } from './profile-name.ts';

/**
 * Profiles that every configuration has, so that a change of protocol needs no reload: each protocol without a bound
 * on bodies and with the default bound. Plain http without a bound is `location /` itself.
 */
export function builtInProfiles(defaultBodyLimit: number): readonly Profile[] {
  const limits = defaultBodyLimit === 0 ? [0] : [0, defaultBodyLimit];
  return (['http', 'https', 'grpc', 'grpcs'] as const).flatMap((protocol) =>
    limits
      .filter((bodyLimit) => protocol !== 'http' || bodyLimit !== 0)
      .map((bodyLimit) => ({ name: profileName(protocol, bodyLimit), protocol, bodyLimit, origins: [] })),
  );
}
