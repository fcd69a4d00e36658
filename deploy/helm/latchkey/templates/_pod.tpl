{{/* Shared by the pods of the service, the backup and the migration. */}}

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
# Service links would set LATCHKEY_PORT=tcp://… in every pod, because the Service has the same name.
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
Settings are in the pod, not in a ConfigMap, so that a changed setting causes a rolling restart. The master key is not
mounted: its file must be readable only by the owner, and a mounted Secret is readable by the group.
*/}}
{{- define "latchkey.environment" -}}
{{- with .Values.envFrom }}
envFrom: {{- toYaml . | nindent 2 }}
{{- else }}
env:
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
{{- if not .Values.envFrom }}
- name: secrets
  mountPath: /etc/latchkey/secrets
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "latchkey.volumes" -}}
- name: data
  emptyDir: {}
- name: tmp
  emptyDir: {}
# The CA certificate of the database, for sslrootcert; the folder is empty without the ConfigMap.
- name: database-ca
  configMap:
    name: {{ .Values.databaseCaConfigMap }}
    optional: true
{{- if not .Values.envFrom }}
- name: secrets
  secret:
    secretName: {{ .Values.existingSecret }}
    defaultMode: 0440
    items:
      {{- range prepend .Values.secretSettings "LATCHKEY_DATABASE_URL" }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
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
