import type { Profile } from '../conf/profile.ts';

/** In the order of their names, each once; of two with one name the first stays. */
export function mergeProfiles(...lists: readonly (readonly Profile[])[]): readonly Profile[] {
  const byName = new Map<string, Profile>();
  for (const profile of lists.flat()) if (!byName.has(profile.name)) byName.set(profile.name, profile);
  return [...byName.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}
