import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type RbacChoice, rbacFor } from './rbac-for.ts';

const rule = (resource: string, verbs: readonly string[] = ['list']) => ({
  apiGroups: [''],
  resources: [resource],
  verbs,
  why: 'Needed.',
});
const NEEDS = {
  cluster: [rule('ingressclasses')],
  served: [rule('ingresses')],
  secrets: [rule('secrets', ['get', 'list', 'watch'])],
  own: [rule('leases')],
};
const account = { namespace: 'weir', name: 'weir' };

/** `Role weir/weir: leases`, without the bindings. */
function rolesOf(choice: Omit<RbacChoice, 'account'>): readonly string[] {
  type Role = {
    kind: string;
    metadata: { name: string; namespace?: string };
    rules: { resources: string[]; resourceNames?: string[] }[];
  };
  return (rbacFor(NEEDS, { ...choice, account }) as readonly Role[])
    .filter(({ kind }) => !kind.endsWith('Binding'))
    .map(({ kind, metadata: { name, namespace }, rules }) => {
      const told = rules.map(({ resources, resourceNames }) => [...resources, ...(resourceNames ?? [])].join(' '));
      return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}: ${told.join(', ')}`;
    });
}

test('for the cluster one ClusterRole reads everything, and a Role holds for weir’s own namespace', () => {
  assert.deepEqual(rolesOf({ mode: 'cluster' }), [
    'ClusterRole weir: ingressclasses, ingresses, secrets',
    'Role weir/weir: leases',
  ]);
});

test('for namespaces each has its Role, and the ClusterRole only what has no namespace', () => {
  assert.deepEqual(rolesOf({ mode: 'namespaces', namespaces: ['shop', 'blog'] }), [
    'ClusterRole weir: ingressclasses',
    'Role weir/weir: leases',
    'Role shop/weir-objects: ingresses, secrets',
    'Role blog/weir-objects: ingresses, secrets',
  ]);
  assert.throws(() => rolesOf({ mode: 'namespaces' }), /without a namespace/);
});

test('for named Secrets no rule is for Secrets without a name', () => {
  const secrets = { shop: ['b', 'a'], blog: [] };
  assert.deepEqual(rolesOf({ mode: 'named', secrets }), [
    'ClusterRole weir: ingressclasses, ingresses',
    'Role weir/weir: leases',
    'Role shop/weir-secrets: secrets a b',
  ]);
  assert.deepEqual(rolesOf({ mode: 'named', secrets, namespaces: ['shop'] }), [
    'ClusterRole weir: ingressclasses',
    'Role weir/weir: leases',
    'Role shop/weir-objects: ingresses',
    'Role shop/weir-secrets: secrets a b',
  ]);
});

test('each role is bound to the service account', () => {
  type Binding = { kind: string; roleRef: { kind: string; name: string }; subjects: object[] };
  const made = rbacFor(NEEDS, { mode: 'cluster', account }) as readonly Binding[];
  const bindings = made.filter(({ kind }) => kind.endsWith('Binding'));
  assert.deepEqual(
    bindings.map(({ kind, roleRef }) => `${kind} ${roleRef.kind} ${roleRef.name}`),
    ['ClusterRoleBinding ClusterRole weir', 'RoleBinding Role weir'],
  );
  for (const { subjects } of bindings) assert.deepEqual(subjects, [{ kind: 'ServiceAccount', ...account }]);
});
