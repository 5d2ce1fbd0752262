/** Order by UTF-16 code units: the same on every machine, whatever its locale. */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Order in which runs of digits count as numbers, so that `paths[10]` comes after `paths[2]`. Total: texts that
 * differ only in leading zeros are ordered by code units.
 */
export function compareNatural(a: string, b: string): number {
  if (a === b) return 0;
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const x = a.charCodeAt(i);
    const y = b.charCodeAt(j);
    if (isDigit(x) && isDigit(y)) {
      const endA = endOfDigits(a, i);
      const endB = endOfDigits(b, j);
      const order = compareDigits(a.slice(i, endA), b.slice(j, endB));
      if (order !== 0) return order;
      i = endA;
      j = endB;
    } else if (x === y) {
      i += 1;
      j += 1;
    } else {
      return x < y ? -1 : 1;
    }
  }
  if (i < a.length) return 1;
  if (j < b.length) return -1;
  return compareText(a, b);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

/** By value, however long the runs are: more digits (without leading zeros) is more. */
function compareDigits(a: string, b: string): number {
  const x = a.replace(/^0+/, '');
  const y = b.replace(/^0+/, '');
  return x.length - y.length || compareText(x, y);
}
