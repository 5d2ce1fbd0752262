import { stringify } from 'yaml';
import { type RbacNeeds, rbacFor } from '../../src/kube/rbac-for.ts';
import type { RbacRule } from '../../src/kube/rbac-rule.ts';
import { chartRights } from '../generate-rights.ts';
import { markdownTable } from './markdown.ts';

const INTRODUCTION = `# Rights

<!-- Written by tools/generate-reference.ts from the tables beside the code that uses each right. Don’t edit. -->

What weir asks of an API server, rule by rule, and why. Nothing else is asked for; there is no wildcard. Where a rule is missing, weir says so
with a finding that names verb, resource, scope and the command that mends it, and the rest works.

A right to \`list\` or \`watch\` Secrets is a right to read all Secrets there: RBAC knows no types of Secrets, and that weir asks only for those of
type \`kubernetes.io/tls\`, and keeps only what something refers to, saves memory, not rights. Where that is too much, use the mode \`named\`.`;

const WHERE: Readonly<Record<string, string>> = {
  objects: 'wherever Ingresses are served',
  secrets: 'wherever Ingresses are served; mode `named`: by name',
  status: 'wherever Ingresses are served',
  events: 'wherever Ingresses are served',
  cluster: 'the cluster',
  namespaces: 'the cluster, with `--watch-namespace-selector`',
  publishNodes: 'the cluster, with `--publish-nodes`',
  election: 'weir’s own namespace',
  publishService: 'the namespace of the Service, with `--publish-service`',
  publishPods: 'weir’s own namespace, with `--publish-nodes`',
  configMap: 'the namespace of the ConfigMap, by its name, with `--configmap`',
  stream: 'weir’s own namespace, where controller and proxy run apart',
};

/** What `weir run` always needs; the rest belongs to flags. */
export function rbacNeeds(): RbacNeeds {
  const { cluster = [], objects = [], status = [], events = [], secrets = [], election = [] } = chartRights();
  return { cluster, served: [...objects, ...status, ...events], secrets, own: election };
}

const EXAMPLES = [
  ['cluster', 'All namespaces.', { mode: 'cluster' }],
  [
    'namespaces',
    'The namespaces that are named with `--watch-namespace`, each by a Role. Only IngressClasses, which have no namespace, take a ClusterRole; without it classes are known by name.',
    { mode: 'namespaces', namespaces: ['shop'] },
  ],
  [
    'named',
    'As one of the others, but of Secrets only those that are named. weir watches each by its name; a new Ingress with a new Secret needs its name added here.',
    { mode: 'named', namespaces: ['shop'], secrets: { shop: ['shop-tls'] } },
  ],
] as const;

/** docs/reference/rbac.md */
export function rbacPage(): string {
  const rows = Object.entries(chartRights()).flatMap(([group, rules]) =>
    rules.map((rule) => [resourcesOf(rule), rule.verbs.join(', '), WHERE[group] ?? group, rule.why]),
  );
  const account = { namespace: 'weir', name: 'weir' };
  const modes = EXAMPLES.map(([name, text, choice]) => {
    const documents = rbacFor(rbacNeeds(), { ...choice, account }).map((each) =>
      stringify(each, { lineWidth: 0, aliasDuplicateObjects: false }),
    );
    return `## Mode \`${name}\`\n\n${text}\n\n\`\`\`yaml\n${documents.join('---\n')}\`\`\``;
  });
  return `${INTRODUCTION}\n\n${markdownTable(['Resource', 'Verbs', 'Where', 'Why'], rows)}\n\n${modes.join('\n\n')}\n`;
}

function resourcesOf({ apiGroups, resources, resourceNames }: RbacRule): string {
  const names = resourceNames === undefined ? '' : ` ${resourceNames.map((name) => `\`${name}\``).join(', ')} only`;
  return (
    resources.map((each) => `\`${[each, ...apiGroups.filter((group) => group !== '')].join('.')}\``).join(', ') + names
  );
}
