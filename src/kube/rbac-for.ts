import type { RbacRule } from './rbac-rule.ts';

/** How far a user's rights go. `named`: Secrets by their names only. */
export type RbacMode = 'cluster' | 'namespaces' | 'named';

/** Rules by where they must hold. */
export interface RbacNeeds {
  /** For what has no namespace. */
  readonly cluster: readonly RbacRule[];
  /** Wherever objects are served. */
  readonly served: readonly RbacRule[];
  /** There too; in mode `named` for these names only. */
  readonly secrets: readonly RbacRule[];
  /** In the namespace of weir itself. */
  readonly own: readonly RbacRule[];
}

export interface RbacChoice {
  readonly mode: RbacMode;
  readonly account: { readonly namespace: string; readonly name: string };
  /** Those that are served. Needed for `namespaces`; for `named`, none means all (of everything but Secrets). */
  readonly namespaces?: readonly string[];
  /** For `named`: namespace → names of the Secrets that Ingresses there refer to. */
  readonly secrets?: Readonly<Record<string, readonly string[]>>;
}

/** Roles and their bindings for weir's service account, as an API server takes them, in the order in which they are to be made. */
export function rbacFor(needs: RbacNeeds, choice: RbacChoice): readonly object[] {
  const { mode, account, namespaces = [], secrets = {} } = choice;
  if (mode === 'namespaces' && namespaces.length === 0) throw new Error('mode namespaces without a namespace');
  const everywhere = mode === 'cluster' || (mode === 'named' && namespaces.length === 0);
  const served = mode === 'named' ? needs.served : [...needs.served, ...needs.secrets];
  const unnamed = everywhere ? [...needs.cluster, ...served] : needs.cluster;
  const named = Object.entries(mode === 'named' ? secrets : {}).filter(([, names]) => names.length > 0);
  return [
    ...granted('ClusterRole', account.name, undefined, unnamed, account),
    ...granted('Role', account.name, account.namespace, needs.own, account),
    ...(everywhere ? [] : namespaces).flatMap((each) =>
      granted('Role', `${account.name}-objects`, each, served, account),
    ),
    ...named.flatMap(([each, names]) => {
      const rules = needs.secrets.map((rule) => ({ ...rule, resourceNames: [...names].sort() }));
      return granted('Role', `${account.name}-secrets`, each, rules, account);
    }),
  ];
}

function granted(
  kind: 'Role' | 'ClusterRole',
  name: string,
  namespace: string | undefined,
  rules: readonly RbacRule[],
  account: RbacChoice['account'],
): readonly object[] {
  if (rules.length === 0) return [];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  return [
    { apiVersion, kind, metadata, rules: rules.map(withoutWhy) },
    {
      apiVersion,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name },
      subjects: [{ kind: 'ServiceAccount', ...account }],
    },
  ];
}

function withoutWhy({ apiGroups, resources, resourceNames, verbs }: RbacRule): Omit<RbacRule, 'why'> {
  return { apiGroups, resources, ...(resourceNames === undefined ? {} : { resourceNames }), verbs };
}
