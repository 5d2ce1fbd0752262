{{- define "weir.name" -}}
{{- /* A release may have dots in its name, a Service may not. */}}
{{- $release := .Release.Name | replace "." "-" }}
{{- if contains "weir" $release }}{{ $release | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-weir" $release | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- /* Labels that select pods; .component is added by who uses them. */}}
{{- define "weir.selector" -}}
app.kubernetes.io/name: weir
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "weir.labels" -}}
{{ include "weir.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "weir.image" -}}
{{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) }}
{{- end }}

{{- define "weir.onHost" -}}
{{ if eq .Values.proxy.kind "DaemonSet" }}true{{ end }}
{{- end }}
