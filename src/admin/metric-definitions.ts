interface MetricDefinition {
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
}

/** Every metric of weir's own; the reference page is made from this table. */
export const METRIC_DEFINITIONS = {
  weir_applies_total: {
    type: 'counter',
    help: 'Model changes that were given to a load balancer, by result (success, failure).',
    labels: ['driver', 'result'],
  },
  weir_apply_duration_seconds: {
    type: 'histogram',
    help: 'Time from giving a change to a load balancer until it was in force.',
    labels: ['driver'],
  },
  weir_applied_generation: {
    type: 'gauge',
    help: 'Newest generation of the model that is in force.',
    labels: ['driver'],
  },
  weir_build_info: { type: 'gauge', help: 'Always 1; the version is in the label.', labels: ['version'] },
  weir_certificate_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When each certificate in use expires.',
    labels: ['certificate'],
  },
  weir_change_to_traffic_seconds: {
    type: 'histogram',
    help: 'Time from learning of a change until requests saw it.',
    labels: ['driver'],
  },
  weir_draining: {
    type: 'gauge',
    help: '1 while clients are let go before weir stops: each answer is the last of its connection.',
    labels: [],
  },
  weir_driver_healthy: { type: 'gauge', help: '1 while the load balancer is well.', labels: ['driver'] },
  weir_events_total: {
    type: 'counter',
    help: 'Kubernetes Events about objects, by result (created, repeated; limited: too many about one object; dropped: too many altogether or too late; failed).',
    labels: ['result'],
  },
  weir_findings: { type: 'gauge', help: 'Findings about objects, by severity.', labels: ['severity'] },
  weir_generation: { type: 'gauge', help: 'Generation of the model; raised by every change.', labels: [] },
  weir_leader: {
    type: 'gauge',
    help: '1 while this weir is the one that writes status and Events to the cluster.',
    labels: [],
  },
  weir_model_parts: {
    type: 'gauge',
    help: 'Parts of the model, by table (hosts, backends, certificates, listeners, l4Routes).',
    labels: ['table'],
  },
  weir_nginx_auth_undecided_total: {
    type: 'counter',
    help: 'Requests that got 503 because their external auth service gave no answer, or none that decides. Begins anew with nginx.',
    labels: [],
  },
  weir_nginx_mirror_lost_total: {
    type: 'counter',
    help: 'Copies of requests that their mirror did not get. Begins anew with nginx.',
    labels: [],
  },
  weir_nginx_reloads_total: { type: 'counter', help: 'Reloads of nginx, by reason.', labels: ['reason'] },
  weir_proxies_connected: {
    type: 'gauge',
    help: 'Proxies that follow this controller just now. Each is a driver, `proxy/NAME`.',
    labels: [],
  },
  weir_proxy_lag_generations: {
    type: 'gauge',
    help: 'Generations of the model that a connected proxy has not in force yet.',
    labels: ['proxy'],
  },
  weir_proxy_ready: { type: 'gauge', help: '1 while a connected proxy serves a complete model.', labels: ['proxy'] },
  weir_quarantined_objects: {
    type: 'gauge',
    help: 'Findings about objects that are left out because a load balancer refused them.',
    labels: [],
  },
  weir_ready: { type: 'gauge', help: '1 while the local data plane serves a complete model.', labels: [] },
  weir_saved_state_failing: { type: 'gauge', help: '1 while the last good model can’t be saved.', labels: [] },
  weir_saved_state_pending_parts: {
    type: 'gauge',
    help: 'Parts of the model that are in force but not yet on disk.',
    labels: [],
  },
  weir_source_failures_total: {
    type: 'counter',
    help: 'Lists and watches of a cluster that failed, by resource; each was tried again.',
    labels: ['resource'],
  },
  weir_source_healthy: {
    type: 'gauge',
    help: '1 while what was read from the source is what is there now.',
    labels: ['source'],
  },
  weir_source_lists_total: {
    type: 'counter',
    help: 'Times that all objects of a scope were listed, by resource.',
    labels: ['resource'],
  },
  weir_source_objects: {
    type: 'gauge',
    help: 'Objects of the cluster that weir sees, by resource; of Secrets, those whose contents it dropped count, too.',
    labels: ['resource'],
  },
  weir_source_watches_total: {
    type: 'counter',
    help: 'Times that a watch of a cluster began anew or went on after a failure, by resource.',
    labels: ['resource'],
  },
  weir_status_writes_total: {
    type: 'counter',
    help: 'Writes to the status of Ingresses, by result (written, conflict, gone, forbidden, failed).',
    labels: ['result'],
  },
} as const satisfies Record<string, MetricDefinition>;
export type MetricName = keyof typeof METRIC_DEFINITIONS;
