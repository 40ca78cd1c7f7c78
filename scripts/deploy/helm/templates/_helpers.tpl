{{- define "gateway.name" -}}
{{- printf "%s-gateway" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: messaging-gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "gateway.isCluster" -}}
{{- if or (gt (int .Values.replicas) 1) .Values.autoscaling.enabled }}true{{ end -}}
{{- end -}}

{{/* Refuses values that would lose messages, double devices or open the gateway. */}}
{{- define "gateway.check" -}}
{{- if not .Values.existingSecret }}{{ fail "existingSecret is required: the Secret with ADMIN_SECRET, JWT_SECRET and SECRETS_KEY" }}{{ end -}}
{{- if include "gateway.isCluster" . -}}
{{- if not .Values.store.mongodb }}{{ fail "more than one replica needs MONGODB_URL (store.mongodb)" }}{{ end -}}
{{- if not .Values.store.redis }}{{ fail "more than one replica needs REDIS_URL (store.redis)" }}{{ end -}}
{{- if and (not .Values.s3Bucket) (ne .Values.persistence.accessMode "ReadWriteMany") }}{{ fail "more than one replica needs shared files: s3Bucket, or persistence.accessMode ReadWriteMany" }}{{ end -}}
{{- if eq .Values.network "sandbox" }}{{ fail "the sandbox is part of one process: more than one replica needs network whatsapp" }}{{ end -}}
{{- end -}}
{{- if and (not .Values.store.mongodb) (not .Values.persistence.enabled) }}{{ fail "without MONGODB_URL (store.mongodb) the data needs persistence.enabled" }}{{ end -}}
{{- if and .Values.ingress.enabled (eq .Values.network "sandbox") }}{{ fail "no ingress with the sandbox: whoever reaches it can act as any phone" }}{{ end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.host) }}{{ fail "ingress.host is required" }}{{ end -}}
{{- range $name := list "MONGODB_URL" "REDIS_URL" "ADMIN_SECRET" "JWT_SECRET" "SECRETS_KEY" "TRUSTED_PROXIES" "NODE_ID" "NETWORK" "HOST" "PORT" "METRICS_PORT" "DATA_DIR" }}
{{- if hasKey $.Values.env $name }}{{ fail (printf "%s does not belong into env" $name) }}{{ end -}}
{{- if has $name $.Values.secretEnv }}{{ fail (printf "%s does not belong into secretEnv" $name) }}{{ end -}}
{{- end -}}
{{- end -}}
