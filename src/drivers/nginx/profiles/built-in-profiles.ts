import type { Profile } from '../conf/profile.ts';
import { profileName } from './profile-name.ts';

const KINDS: readonly Pick<Profile, 'protocol' | 'readsBody'>[] = [
  { protocol: 'http' },
  { protocol: 'http', readsBody: true },
  { protocol: 'https' },
  { protocol: 'grpc' },
  { protocol: 'grpcs' },
];

/**
 * Profiles that every configuration has, so that a change of protocol needs no reload: each protocol without a bound
 * on bodies and with the default bound, and the same of plain http with bodies that are kept for copies. Plain http
 * without a bound is `location /` itself.
 */
export function builtInProfiles(defaultBodyLimit: number): readonly Profile[] {
  const limits = defaultBodyLimit === 0 ? [0] : [0, defaultBodyLimit];
  return KINDS.flatMap((kind) =>
    limits
      .filter((bodyLimit) => kind.protocol !== 'http' || kind.readsBody === true || bodyLimit !== 0)
      .map((bodyLimit) => ({ name: profileName({ ...kind, bodyLimit }), ...kind, bodyLimit, origins: [] })),
  );
}
