/** A right that weir needs at the API server, declared beside the code that uses it: roles are generated from these. */
export interface RbacRule {
  /** '' is the core group. */
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  /** Only these objects; left out: all of them. */
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
  /** What weir does with it, and what doesn't work without. */
  readonly why: string;
}
