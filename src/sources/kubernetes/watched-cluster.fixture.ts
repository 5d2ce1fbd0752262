import type { Finding } from '../../diagnostics/finding.ts';
import { type ResourceChange, resourceKey } from '../../snapshot/resource.ts';
import { IngressTranslator } from '../../translate/ingress/ingress-translator.ts';
import type { NamespaceChoice } from './namespace-choice.ts';
import { KubernetesSource } from './kubernetes-source.ts';
import type { StubCluster } from './stub-cluster.fixture.ts';

/** A source that watches the cluster for a translator, and what it delivered. */
export class WatchedCluster {
  readonly source: KubernetesSource;
  /** `Secret/shop/web-tls` → body. */
  readonly objects = new Map<string, unknown>();
  readonly changes: ResourceChange[] = [];
  readonly reports = new Map<string, readonly Finding[]>();
  readonly translator = new IngressTranslator({
    ingressClasses: ['weir'],
    serveWithoutClass: false,
    classObjectNeeded: true,
    allowLoopbackEndpoints: false,
    httpPort: 80,
    httpsPort: 443,
    ownListeners: () => [],
    trustedProxies: [],
    now: () => new Date(),
  });
  syncs = 0;
  /** Secrets that were asked for and aren't answered. */
  unanswered = 0;

  constructor(cluster: StubCluster, namespaces: NamespaceChoice = { kind: 'all', own: 'weir' }) {
    const { client, startWatch } = cluster;
    this.source = new KubernetesSource({ client, startWatch, namespaces, ingressClasses: ['weir'] });
    void this.source.start({
      changed: (changes) => this.#changed(changes),
      report: (subject, findings) => void this.reports.set(subject, findings),
      synced: () => void this.syncs++,
    });
  }

  /** Keys of what was delivered and not deleted, of one kind, sorted. */
  of(kind: string): readonly string[] {
    return [...this.objects.keys()]
      .filter((key) => key.startsWith(`${kind}/`))
      .map((key) => key.slice(kind.length + 1))
      .sort();
  }

  findings(): readonly Finding[] {
    return [...this.reports.values()].flat();
  }

  #changed(changes: readonly ResourceChange[]): void {
    this.changes.push(...changes);
    for (const change of changes) {
      if (change.type === 'put') this.objects.set(resourceKey(change.resource.ref), change.resource.body);
      else this.objects.delete(resourceKey(change.ref));
    }
    this.translator.update(changes);
    const needs = this.translator.takeSecretNeeds();
    if (needs.length === 0) return;
    this.unanswered++;
    void this.source.need(needs).then(() => this.unanswered--);
  }
}
