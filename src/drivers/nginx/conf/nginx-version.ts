/** Compares by numbers: `1.25.1` is at least `1.22`. */
export function isAtLeast(version: string, least: string): boolean {
  const parts = version.split('.').map(Number);
  for (const [index, wanted] of least.split('.').map(Number).entries()) {
    const part = parts[index] ?? 0;
    if (part !== wanted) return part > wanted;
  }
  return true;
}
