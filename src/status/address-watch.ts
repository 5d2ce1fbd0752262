import type { KubeObject } from '../kube/kube-object.ts';
import type { KubeResource, ResourceScope } from '../kube/kube-resource.ts';
import type { RbacRule } from '../kube/rbac-rule.ts';
import type { ReflectorChange, ReflectorSink, ReflectorState } from '../kube/reflector-sink.ts';
import { nodeAddresses } from './node-addresses.ts';
import { type PublishedAddress, publishedAddress } from './published-address.ts';
import { serviceAddresses } from './service-addresses.ts';

/** Where the addresses come from that are written to Ingresses. */
export type AddressOrigin =
  | { readonly from: 'fixed'; readonly addresses: readonly string[] }
  | { readonly from: 'service'; readonly namespace: string; readonly name: string }
  /** The nodes of the pods that the selector finds in the namespace. */
  | { readonly from: 'nodes'; readonly namespace: string; readonly selector: string; readonly internal: boolean };

/** With --publish-service, in the namespace of the Service. A role may limit it to the name. */
export const PUBLISH_SERVICE_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: [''],
    resources: ['services'],
    verbs: ['list', 'watch'],
    why: 'Follows the address of the Service before weir (--publish-service).',
  },
];
/** With --publish-nodes, in weir’s own namespace. */
export const PUBLISH_PODS_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: [''],
    resources: ['pods'],
    verbs: ['list', 'watch'],
    why: 'Finds the nodes on which the proxies run (--publish-nodes).',
  },
];
/** With --publish-nodes, in the whole cluster. */
export const PUBLISH_NODES_RIGHTS: readonly RbacRule[] = [
  {
    apiGroups: [''],
    resources: ['nodes'],
    verbs: ['list', 'watch'],
    why: 'Knows the external addresses of nodes (--publish-nodes). Without it, or with --report-node-internal-ip-address, their internal ones are published.',
  },
];

export type StartWatch = (
  resource: KubeResource,
  scope: ResourceScope,
  sink: ReflectorSink,
) => { readonly stop: () => unknown };

export interface AddressWatchOptions {
  readonly origin: AddressOrigin;
  readonly startWatch: StartWatch;
  /** Called with all that are known whenever they may be others; none: not known. */
  readonly onAddresses: (addresses: readonly PublishedAddress[]) => void;
  readonly onProblem?: (subject: string, problem: Error | undefined) => void;
}

const SERVICES = core('services', 'Service', true);
const PODS = core('pods', 'Pod', true);
const NODES = core('nodes', 'Node', false);

/** Follows the addresses at which weir's load balancers are to be found. */
export class AddressWatch {
  readonly #options: AddressWatchOptions;
  readonly #stops: (() => unknown)[] = [];

  constructor(options: AddressWatchOptions) {
    this.#options = options;
  }

  start(): void {
    const { origin, onAddresses } = this.#options;
    if (origin.from === 'fixed') {
      onAddresses(origin.addresses.map(publishedAddress));
    } else if (origin.from === 'service') {
      const { namespace, name } = origin;
      const services: Followed = this.#followed('Service', () =>
        onAddresses([...services.objects.values()].flatMap(serviceAddresses)),
      );
      this.#follow(services, SERVICES, { namespace, fieldSelector: `metadata.name=${name}` });
    } else {
      const { namespace, selector, internal } = origin;
      const look = () => {
        // Without nodes, the pods' own word would be written first and corrected right after.
        if (pods.isRead && (internal || nodes.isRead)) {
          onAddresses(nodeAddresses(pods.objects.values(), nodes.objects, internal));
        }
      };
      const pods = this.#followed('Pods', look);
      const nodes = this.#followed('Nodes', look);
      this.#follow(pods, PODS, { namespace, labelSelector: selector });
      if (!internal) this.#follow(nodes, NODES, {});
    }
  }

  stop(): void {
    for (const stop of this.#stops.splice(0)) stop();
  }

  #followed(what: string, look: () => void): Followed {
    return new Followed(look, (problem) => this.#options.onProblem?.(`${what} to publish the addresses of`, problem));
  }

  #follow(followed: Followed, resource: KubeResource, scope: ResourceScope): void {
    const watch = this.#options.startWatch(resource, scope, followed);
    this.#stops.push(() => watch.stop());
  }
}

/** The objects of one watch by name. */
class Followed implements ReflectorSink {
  readonly objects = new Map<string, KubeObject>();
  readonly #look: () => void;
  readonly #tell: (problem: Error | undefined) => void;
  #read = false;
  #troubled = false;

  constructor(look: () => void, tell: (problem: Error | undefined) => void) {
    this.#look = look;
    this.#tell = tell;
  }

  /** Everything was read, or may not be read: then it counts as empty. */
  get isRead(): boolean {
    return this.#read;
  }

  changed(changes: readonly ReflectorChange[]): void {
    for (const change of changes) {
      if (change.type === 'put') this.objects.set(change.object.metadata.name, change.object);
      else this.objects.delete(change.object.metadata.name);
    }
    if (this.#read) this.#look();
  }

  synced(): void {
    this.#read = true;
    this.#look();
  }

  state(state: ReflectorState): void {
    if (state.state === 'waiting') {
      this.#troubled = true;
      this.#tell(state.error);
      if (state.forbidden && !this.#read) this.synced();
    } else if (state.state === 'watching' && this.#troubled) {
      this.#troubled = false;
      this.#tell(undefined);
    }
  }
}

function core(plural: string, kind: string, namespaced: boolean): KubeResource {
  return { group: '', version: 'v1', plural, kind, namespaced };
}
