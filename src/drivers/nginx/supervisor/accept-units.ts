export interface Complaint<Unit> {
  readonly why: string;
  /** Whom the judge itself names. A hint only: nobody is refused for it alone. */
  readonly blamed?: Unit | undefined;
}

export interface Refused<Unit> {
  readonly unit: Unit;
  readonly why: string;
}

/** Undefined: the judge takes these units together. */
export type UnitJudge<Unit> = (units: readonly Unit[]) => Promise<Complaint<Unit> | undefined>;

/**
 * Finds out which units the judge refuses. `known`: those that it has taken together before; the others are suspects.
 * `complaint`: what it said about all units together, where it was asked already.
 *
 * Suspects are judged apart from everything else first, since judging few is cheap; each that is refused is found by the
 * judge's own hint or by halving. Then everything that is left is judged together. Only where that fails are there units
 * that can't be together: then each is taken in beside all that were taken before it, so that the later one is refused.
 *
 * k bad ones among n suspects cost at most 2 + 2k·log2(n) runs, with hints 2 + 2k, and never more than 2 + 2n.
 */
export async function acceptUnits<Unit>(
  units: readonly Unit[],
  judge: UnitJudge<Unit>,
  known: ReadonlySet<Unit> = new Set(),
  complaint?: Complaint<Unit>,
): Promise<readonly Refused<Unit>[]> {
  let complained = complaint ?? (await judge(units));
  if (complained === undefined) return [];
  const suspects = units.filter((unit) => !known.has(unit));
  const apart = await refusedApart(suspects, judge, complained);
  const left = without(units, apart);
  if (apart.length > 0) {
    complained = await judge(left);
    if (complained === undefined) return apart;
  }
  const basis = left.filter((unit) => known.has(unit));
  const basisStands = basis.length === 0 || (await judge(basis)) === undefined;
  const together = basisStands
    ? await refusedBeside(
        without(left, apart).filter((unit) => !known.has(unit)),
        basis,
        judge,
        complained,
      )
    : await refusedBeside(left, [], judge, complained);
  return [...apart, ...together];
}

/** Those that the judge refuses without all the others. `complaint`: about more than them, so that it may be wrong about them. */
async function refusedApart<Unit>(
  suspects: readonly Unit[],
  judge: UnitJudge<Unit>,
  complaint: Complaint<Unit>,
): Promise<readonly Refused<Unit>[]> {
  const refused: Refused<Unit>[] = [];
  /** A complaint is about this group or more; undefined: the judge has to be asked. */
  const search = async (group: readonly Unit[], known?: Complaint<Unit>): Promise<void> => {
    let rest = group;
    let complained = known ?? (await judge(rest));
    while (complained !== undefined) {
      const found: Refused<Unit> | undefined = await blamedRightly(rest, judge, complained);
      if (found === undefined) break;
      refused.push(found);
      rest = without(rest, [found]);
      complained = rest.length === 0 ? undefined : await judge(rest);
    }
    const [first] = rest;
    if (complained === undefined || first === undefined) return;
    if (rest.length === 1) {
      // What is known of it may only have been concluded.
      const own = known === undefined ? complained : await judge(rest);
      if (own !== undefined) refused.push({ unit: first, why: own.why });
      return;
    }
    const before = refused.length;
    await search(rest.slice(0, rest.length >> 1));
    // Where nothing is wrong with the first half, the complaint is about the second.
    await search(rest.slice(rest.length >> 1), refused.length === before ? { why: complained.why } : undefined);
  };
  await search(suspects, complaint);
  return refused;
}

async function blamedRightly<Unit>(
  suspects: readonly Unit[],
  judge: UnitJudge<Unit>,
  { blamed }: Complaint<Unit>,
): Promise<Refused<Unit> | undefined> {
  // One alone is judged by whoever asks.
  if (blamed === undefined || suspects.length < 2 || !suspects.includes(blamed)) return undefined;
  const complaint = await judge([blamed]);
  return complaint === undefined ? undefined : { unit: blamed, why: complaint.why };
}

/** Those that can't be beside what was taken before. `complaint`: about the basis and all candidates. */
async function refusedBeside<Unit>(
  candidates: readonly Unit[],
  basis: readonly Unit[],
  judge: UnitJudge<Unit>,
  complaint: Complaint<Unit>,
): Promise<readonly Refused<Unit>[]> {
  const taken = [...basis];
  const refused: Refused<Unit>[] = [];
  const take = async (group: readonly Unit[], known?: Complaint<Unit>): Promise<void> => {
    const [first] = group;
    if (first === undefined) return;
    const complained = known ?? (await judge([...taken, ...group]));
    if (complained === undefined) taken.push(...group);
    else if (group.length === 1) refused.push({ unit: first, why: complained.why });
    else {
      const before = refused.length;
      await take(group.slice(0, group.length >> 1));
      // Where the first half was taken whole, the second is what the complaint is about.
      await take(group.slice(group.length >> 1), refused.length === before ? complained : undefined);
    }
  };
  await take(candidates, complaint);
  return refused;
}

function without<Unit>(units: readonly Unit[], refused: readonly Refused<Unit>[]): readonly Unit[] {
  const gone = new Set(refused.map(({ unit }) => unit));
  return units.filter((unit) => !gone.has(unit));
}
