import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { CONFIG_MAP_RIGHTS } from '../src/cli/config-map-at-start.ts';
import { EVENT_RIGHTS } from '../src/kube/event-recorder.ts';
import { LEADER_ELECTION_RIGHTS } from '../src/kube/leader-election.ts';
import type { RbacRule } from '../src/kube/rbac-rule.ts';
import { NAMESPACED_KINDS, WATCHED_KINDS, type WatchedKind } from '../src/sources/kubernetes/watched-kinds.ts';
import { PUBLISH_NODES_RIGHTS, PUBLISH_PODS_RIGHTS, PUBLISH_SERVICE_RIGHTS } from '../src/status/address-watch.ts';
import { INGRESS_STATUS_RIGHTS } from '../src/status/ingress-status-writer.ts';
import { MODEL_SECRET_RIGHTS } from '../src/stream/tls/secret-material-store.ts';

const OUTPUT = resolve(import.meta.dirname, '../deploy/helm/weir/files/rights.json');

/** The rights that the chart grants, by where they are needed. */
export function chartRights(): Readonly<Record<string, readonly RbacRule[]>> {
  return {
    // Wherever Ingresses are served.
    objects: NAMESPACED_KINDS.map(ruleOf),
    secrets: [ruleOf(WATCHED_KINDS.Secret)],
    status: INGRESS_STATUS_RIGHTS,
    events: EVENT_RIGHTS,
    // What has no namespace.
    cluster: [ruleOf(WATCHED_KINDS.IngressClass)],
    namespaces: [ruleOf(WATCHED_KINDS.Namespace)],
    publishNodes: PUBLISH_NODES_RIGHTS,
    // In weir's own namespace.
    election: LEADER_ELECTION_RIGHTS,
    publishService: PUBLISH_SERVICE_RIGHTS,
    publishPods: PUBLISH_PODS_RIGHTS,
    stream: MODEL_SECRET_RIGHTS,
    configMap: CONFIG_MAP_RIGHTS,
  };
}

function ruleOf({ resource: { group, plural }, verbs, why }: WatchedKind): RbacRule {
  return { apiGroups: [group], resources: [plural], verbs, why };
}

/** The file as it must be. */
export function rightsFile(): string {
  return `${JSON.stringify(chartRights(), undefined, 2)}\n`;
}

if (import.meta.main) {
  mkdirSync(dirname(OUTPUT), { recursive: true });
  writeFileSync(OUTPUT, rightsFile());
}
