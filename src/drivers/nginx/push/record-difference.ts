/** What to change so that the records in force become the wanted ones: checksum to put, undefined to delete. */
export function recordDifference(
  live: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string>,
): ReadonlyMap<string, string | undefined> {
  const changes = new Map<string, string | undefined>();
  for (const [key, checksum] of wanted) if (live.get(key) !== checksum) changes.set(key, checksum);
  for (const key of live.keys()) if (!wanted.has(key)) changes.set(key, undefined);
  return changes;
}
