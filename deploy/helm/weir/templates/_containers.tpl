{{- /* Parts of pods that controllers and proxies share. */}}

{{- define "weir.podSecurity" -}}
runAsNonRoot: true
runAsUser: 101
runAsGroup: 101
fsGroup: 101
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "weir.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{- define "weir.settingsVolume" -}}
- name: settings
  configMap: { name: {{ include "weir.name" . }} }
{{- end }}

{{- /* A token for the one container that mounts it, as a kubelet would give it to all. */}}
{{- define "weir.tokenVolume" -}}
- name: token
  projected:
    defaultMode: 0440
    sources:
      - serviceAccountToken: { path: token, expirationSeconds: 3607 }
      - configMap: { name: kube-root-ca.crt, items: [{ key: ca.crt, path: ca.crt }] }
      - downwardAPI: { items: [{ path: namespace, fieldRef: { fieldPath: metadata.namespace } }] }
{{- end }}

{{- /* Probes over the admin socket in the pod's own state directory: on the host's network, a port may be another pod's. */}}
{{- define "weir.socketProbes" -}}
startupProbe:
  exec: { command: [/usr/bin/weir, status, --live, --admin, "unix:/var/lib/weir/state/admin.sock"] }
  periodSeconds: 2
  timeoutSeconds: 10
  failureThreshold: 60
readinessProbe:
  exec: { command: [/usr/bin/weir, status, --ready, --admin, "unix:/var/lib/weir/state/admin.sock"] }
  periodSeconds: 10
  timeoutSeconds: 10
livenessProbe:
  exec: { command: [/usr/bin/weir, status, --live, --admin, "unix:/var/lib/weir/state/admin.sock"] }
  periodSeconds: 30
  timeoutSeconds: 20
  failureThreshold: 4
{{- end }}

{{- define "weir.portProbes" -}}
startupProbe:
  httpGet: { path: /healthz, port: {{ . }} }
  periodSeconds: 1
  failureThreshold: 120
readinessProbe:
  httpGet: { path: /readyz, port: {{ . }} }
  periodSeconds: 2
  timeoutSeconds: 5
livenessProbe:
  httpGet: { path: /healthz, port: {{ . }} }
  periodSeconds: 10
  timeoutSeconds: 10
  failureThreshold: 6
{{- end }}

{{- /* `.root`: the chart; `.listen`: where the model is offered; `.port`: of the admin API, 0 for none but the socket. */}}
{{- define "weir.controllerContainer" -}}
- name: controller
  image: {{ include "weir.image" .root }}
  imagePullPolicy: {{ .root.Values.image.pullPolicy }}
  args:
    - controller
    - --config=/etc/weir/weir.yaml
    - --state-dir=/var/lib/weir/state
    - --admin-address={{ .admin }}
    - --ingress-class={{ .root.Values.ingressClass.name }}
    - --http-port=80
    - --https-port=443
    - --model-listen={{ .listen }}
    {{- if .secret }}
    - --model-tls-secret={{ .root.Release.Namespace }}/{{ .secret }}
    {{- end }}
    - --election-id={{ include "weir.name" .root }}-leader
    {{- if not (or (hasKey .root.Values.config "publish-status-address") (hasKey .root.Values.config "publish-service")) }}
    {{- if include "weir.onHost" .root }}
    - --publish-nodes=app.kubernetes.io/instance={{ .root.Release.Name }},app.kubernetes.io/component=proxy
    {{- else }}
    - --publish-service={{ .root.Release.Namespace }}/{{ include "weir.name" .root }}-proxy
    {{- end }}
    {{- end }}
    {{- range .root.Values.rights.namespaces }}
    - --watch-namespace={{ . }}
    {{- end }}
  securityContext: {{- include "weir.containerSecurity" .root | nindent 4 }}
  {{- if .probePort }}
  ports:
    - { name: model, containerPort: 9181 }
    - { name: admin, containerPort: 9180 }
  {{- include "weir.portProbes" .probePort | nindent 2 }}
  {{- else }}
  {{- include "weir.socketProbes" .root | nindent 2 }}
  {{- end }}
  resources: {{- toYaml .root.Values.controller.resources | nindent 4 }}
  volumeMounts:
    - { name: settings, mountPath: /etc/weir, readOnly: true }
    - { name: controller-state, mountPath: /var/lib/weir }
    - { name: token, mountPath: /var/run/secrets/kubernetes.io/serviceaccount, readOnly: true }
    {{- if not .secret }}
    - { name: model, mountPath: /run/weir }
    {{- end }}
{{- end }}
