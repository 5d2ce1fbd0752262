/** Deeper than anything in Kubernetes, and well below what JSON.stringify can descend. */
const DEEPEST = 500;

/**
 * Size of a value if every alias in it were written out, in rough characters; Infinity if it contains itself or nests
 * absurdly deep. Visits each node once, however often it is aliased, so that a few lines that mean billions of nodes
 * cost nothing.
 */
export function expandedSize(value: unknown): number {
  return sizeOf(value, 0, new Map());
}

function sizeOf(value: unknown, depth: number, known: Map<object, number>): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 4;
  const before = known.get(value);
  if (before !== undefined) return before;
  known.set(value, Number.POSITIVE_INFINITY);
  if (depth > DEEPEST) return Number.POSITIVE_INFINITY;
  let size = 2;
  for (const [key, item] of Object.entries(value)) size += key.length + 2 + sizeOf(item, depth + 1, known);
  known.set(value, size);
  return size;
}
