{{/* Shared names, labels and validated values. */}}

{{- define "latchkey.name" -}}
{{- if contains "latchkey" .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-latchkey" (.Release.Name | trunc 41 | trimSuffix "-") -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.selector" -}}
app.kubernetes.io/name: latchkey
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{/* Selects the pods that serve; without the component, it would also select those of backups and migrations. */}}
{{- define "latchkey.serverSelector" -}}
{{ include "latchkey.selector" . }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "latchkey.labels" -}}
{{ include "latchkey.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "latchkey.host" -}}
{{- (urlParse .Values.config.LATCHKEY_PUBLIC_URL).hostname -}}
{{- end -}}

{{- define "latchkey.port" -}}
{{- include "latchkey.text" (.Values.config.LATCHKEY_PORT | default "8080") -}}
{{- end -}}

{{/* The metrics port; empty if metrics are disabled. */}}
{{- define "latchkey.metricsPort" -}}
{{- $port := include "latchkey.text" (.Values.config.LATCHKEY_METRICS_PORT | default "0") -}}
{{- if ne $port "0" }}{{ $port }}{{ end -}}
{{- end -}}

{{/* A value as text. Helm parses numbers as floating point and would print 1e+06. */}}
{{- define "latchkey.text" -}}
{{- if kindIs "float64" . }}{{ int64 . }}{{ else }}{{ . }}{{ end -}}
{{- end -}}

{{/* The readiness probe fails after 10 seconds; the gateway has 5 more to react. */}}
{{- define "latchkey.drainSeconds" -}}
{{- $seconds := include "latchkey.text" .Values.config.LATCHKEY_DRAIN_SECONDS | int -}}
{{- if lt $seconds 15 -}}
{{- fail (printf "config.LATCHKEY_DRAIN_SECONDS is %d; it must be at least 15: pods that stop earlier still receive requests" $seconds) -}}
{{- end -}}
{{- $seconds -}}
{{- end -}}
