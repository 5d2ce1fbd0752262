/** Longest DNS name; anything longer names nothing. */
const LONGEST = 253;

/**
 * The record names that may answer for a host or SNI name, best first: itself, `*.` with its first label cut off, then
 * `**.` with one label cut off, two, and so on; `*` last.
 */
export function nameCandidates(name: string): string[] {
  const candidates: string[] = [];
  if (name.length > 0 && name.length <= LONGEST && name !== '*') {
    candidates.push(name);
    let [dot] = string.find(name, '.', 1, true);
    let first = true;
    while (dot !== undefined) {
      const parent = string.sub(name, dot + 1);
      if (first) {
        candidates.push('*.' + parent);
        first = false;
      }
      candidates.push('**.' + parent);
      dot = string.find(name, '.', dot + 1, true)[0];
    }
  }
  candidates.push('*');
  return candidates;
}
