/**
 * Edits (insert, delete, replace, swap neighbours) that turn `a` into `b`: the optimal-string-alignment form of
 * Damerau-Levenshtein. Gives `limit + 1` as soon as the distance is known to exceed `limit`, so that long strings cost
 * little: only the cells that can stay within the limit are looked at, at most `2 * limit + 1` a row.
 */
export function editDistance(a: string, b: string, limit: number): number {
  const over = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return over;
  let beforePrevious = new Int32Array(b.length + 2).fill(over);
  let previous = new Int32Array(b.length + 2).fill(over);
  let current = new Int32Array(b.length + 2).fill(over);
  for (let column = 0; column <= Math.min(b.length, limit); column += 1) previous[column] = column;
  for (let row = 1; row <= a.length; row += 1) {
    const from = Math.max(1, row - limit);
    const to = Math.min(b.length, row + limit);
    let least = from === 1 ? row : over;
    current[from - 1] = Math.min(least, over);
    for (let column = from; column <= to; column += 1) {
      const same = a.charCodeAt(row - 1) === b.charCodeAt(column - 1);
      let cost = Math.min(previous[column]! + 1, current[column - 1]! + 1, previous[column - 1]! + (same ? 0 : 1));
      const swapped =
        row > 1 &&
        column > 1 &&
        a.charCodeAt(row - 1) === b.charCodeAt(column - 2) &&
        a.charCodeAt(row - 2) === b.charCodeAt(column - 1);
      if (swapped) cost = Math.min(cost, beforePrevious[column - 2]! + 1);
      if (cost > over) cost = over;
      current[column] = cost;
      if (cost < least) least = cost;
    }
    // The next row's last cell looks one further up than this row's.
    current[to + 1] = over;
    // A swap reaches back two rows, but to no less than the least of the row before.
    if (least > limit) return over;
    const oldest = beforePrevious;
    beforePrevious = previous;
    previous = current;
    current = oldest;
  }
  return Math.min(previous[b.length]!, over);
}
