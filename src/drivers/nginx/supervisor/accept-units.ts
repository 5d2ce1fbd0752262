/**
 * Finds out which units of a configuration its judge refuses, by halving: takes in what passes together with everything
 * taken before, so that of units that only fail together the later one is refused. `test` returns undefined or a complaint.
 * n good units and k bad ones cost about 1 + 2k·log2(n) tests.
 */
export async function acceptUnits<Unit>(
  units: readonly Unit[],
  test: (units: readonly Unit[]) => Promise<string | undefined>,
): Promise<{
  readonly accepted: readonly Unit[];
  readonly refused: readonly { readonly unit: Unit; readonly why: string }[];
}> {
  const accepted: Unit[] = [];
  const refused: { readonly unit: Unit; readonly why: string }[] = [];
  const take = async (candidates: readonly Unit[]): Promise<void> => {
    const [first] = candidates;
    if (first === undefined) return;
    const why = await test([...accepted, ...candidates]);
    if (why === undefined) {
      accepted.push(...candidates);
    } else if (candidates.length === 1) {
      refused.push({ unit: first, why });
    } else {
      const middle = candidates.length >> 1;
      await take(candidates.slice(0, middle));
      await take(candidates.slice(middle));
    }
  };
  await take(units);
  return { accepted, refused };
}
