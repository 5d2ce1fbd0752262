/**
 * Which of two versions is newer: negative, 0 or positive as for `sort`; undefined when they can't be compared. Versions are decimal
 * numbers of any length (comparable by contract since Kubernetes 1.35, in fact always); other servers behind the API may have their own.
 */
export function compareResourceVersions(a: string, b: string): number | undefined {
  if (a === b) return 0;
  if (!isNumber(a) || !isNumber(b)) return undefined;
  return a.length - b.length || (a < b ? -1 : 1);
}

function isNumber(version: string): boolean {
  return /^[1-9]\d*$/.test(version);
}
