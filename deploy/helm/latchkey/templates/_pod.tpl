{{/* What the pods of the service, the backup and the migration have in common. */}}

{{- define "latchkey.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "latchkey.podSecurity" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
# Else the Service of the same name would put LATCHKEY_PORT=tcp://… into every pod.
enableServiceLinks: false
automountServiceAccountToken: false
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile:
    type: RuntimeDefault
{{- end -}}

{{- define "latchkey.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{/*
In the pod itself, not in a ConfigMap: a changed setting is a rolling restart. The master key is no file: the service
wants its file readable by the owner alone, and a mounted Secret is readable by the group.
*/}}
{{- define "latchkey.environment" -}}
{{- range $name, $value := .Values.config }}
{{- if has $name (list "LATCHKEY_ADMIN_PASSWORD" "LATCHKEY_DATABASE_URL" "LATCHKEY_MASTER_KEY" "LATCHKEY_OTLP_HEADERS" "LATCHKEY_REDIS_URL" "LATCHKEY_SMTP_URL") }}
{{- fail (printf "config.%s is a secret; put it into the Secret that existingSecret names" $name) }}
{{- end }}
- name: {{ $name }}
  value: {{ include "latchkey.text" $value | quote }}
{{- end }}
- name: LATCHKEY_MASTER_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.existingSecret }}
      key: LATCHKEY_MASTER_KEY
{{- range prepend .Values.secretSettings "LATCHKEY_DATABASE_URL" }}
- name: {{ . }}_FILE
  value: /etc/latchkey/secrets/{{ . }}
{{- end }}
{{- end -}}

{{- define "latchkey.volumeMounts" -}}
- name: data
  mountPath: /var/lib/latchkey
- name: tmp
  mountPath: /tmp
- name: database-ca
  mountPath: /etc/latchkey/database-ca
  readOnly: true
- name: secrets
  mountPath: /etc/latchkey/secrets
  readOnly: true
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "latchkey.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
# The authority of the database's certificate, for sslrootcert; empty without the ConfigMap.
- name: database-ca
  configMap:
    name: {{ .Values.databaseCaConfigMap }}
    optional: true
- name: secrets
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 0440
    items:
      {{- range prepend .Values.secretSettings "LATCHKEY_DATABASE_URL" }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "latchkey.placement" -}}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
