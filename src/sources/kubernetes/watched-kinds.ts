/**
 * What the source reads from an API server, and why. Roles are generated from this table: a kind that isn't here is neither
 * watched nor asked a right for.
 *
 * Endpoints aren't here: a cluster mirrors each into an EndpointSlice.
 */
import type { KubeResource } from '../../kube/kube-resource.ts';
import type { ResourceKind } from '../../snapshot/resource.ts';

export interface WatchedKind {
  readonly kind: ResourceKind;
  readonly resource: KubeResource;
  /** Nothing can be served from where it can't be read; without the others something else is lost, which `without` says. */
  readonly required: boolean;
  readonly verbs: readonly string[];
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
  /** What weir does with it. */
  readonly why: string;
  /** What is lost where the right is missing; a sentence without its full stop. */
  readonly without: string;
}

const READ = ['list', 'watch'] as const;

export const WATCHED_KINDS = {
  Ingress: {
    kind: 'Ingress',
    resource: kubeResource('networking.k8s.io', 'ingresses', 'Ingress', true),
    required: true,
    verbs: READ,
    why: 'Hosts and paths to serve.',
    without: 'Nothing of it is served',
  },
  Service: {
    kind: 'Service',
    resource: kubeResource('', 'services', 'Service', true),
    required: true,
    verbs: READ,
    why: 'Ports of the backends that Ingresses name, and external names.',
    without: 'Routes answer 503',
  },
  EndpointSlice: {
    kind: 'EndpointSlice',
    resource: kubeResource('discovery.k8s.io', 'endpointslices', 'EndpointSlice', true),
    required: true,
    verbs: READ,
    // One without the label belongs to no Service.
    labelSelector: 'kubernetes.io/service-name',
    why: 'Addresses of the pods behind Services; requests go to these directly.',
    without: 'Routes answer 503',
  },
  Secret: {
    kind: 'Secret',
    resource: kubeResource('', 'secrets', 'Secret', true),
    required: false,
    verbs: ['get', ...READ],
    // Saves memory, not rights: to an API server a right to list is a right to read all that is there.
    fieldSelector: 'type=kubernetes.io/tls',
    why: 'Certificates and authorities that Ingresses name. Only what something refers to is kept.',
    without: 'Each Secret that something refers to is watched by its name, for which a right to that name is enough',
  },
  IngressClass: {
    kind: 'IngressClass',
    resource: kubeResource('networking.k8s.io', 'ingressclasses', 'IngressClass', false),
    required: false,
    verbs: READ,
    why: 'Which classes are weir’s, and which is the default.',
    without:
      'Classes are known by name alone, and an Ingress that names none is not served as one of the default class',
  },
  Namespace: {
    kind: 'Namespace',
    resource: kubeResource('', 'namespaces', 'Namespace', false),
    required: true,
    verbs: READ,
    why: 'Namespaces chosen by label; needed with --watch-namespace-selector only.',
    without: 'No namespace can be chosen',
  },
} as const satisfies Partial<Record<ResourceKind, WatchedKind>>;

/** Kinds of which all objects of a namespace are read, in each that is watched. */
export const NAMESPACED_KINDS: readonly WatchedKind[] = [
  WATCHED_KINDS.Ingress,
  WATCHED_KINDS.Service,
  WATCHED_KINDS.EndpointSlice,
];

function kubeResource(group: string, plural: string, kind: string, namespaced: boolean): KubeResource {
  return { group, version: 'v1', plural, kind, namespaced };
}
