{{- define "weir.rules" -}}
{{- range . }}
# {{ .why }}
- apiGroups: {{ toJson .apiGroups }}
  resources: {{ toJson .resources }}
  {{- with .resourceNames }}
  resourceNames: {{ toJson . }}
  {{- end }}
  verbs: {{ toJson .verbs }}
{{- end }}
{{- end }}

{{- define "weir.role" }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels: {{- include "weir.labels" .root | nindent 4 }}
rules:
  {{- include "weir.rules" .rules | trim | nindent 2 }}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: {{ .name }}
  namespace: {{ .namespace }}
  labels: {{- include "weir.labels" .root | nindent 4 }}
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: {{ .name }} }
subjects: [{ kind: ServiceAccount, name: {{ include "weir.name" .root }}, namespace: {{ .root.Release.Namespace }} }]
{{- end }}

{{- /* JSON of `.rules` for `.names` only: those rules that are for names, or `.all` of them. */}}
{{- define "weir.named" -}}
{{- $made := list }}
{{- range .rules }}
{{- if or $.all (hasKey . "resourceNames") }}{{ $made = append $made (set (deepCopy .) "resourceNames" $.names) }}{{ else }}{{ $made = append $made . }}{{ end }}
{{- end }}
{{- toJson $made }}
{{- end }}
