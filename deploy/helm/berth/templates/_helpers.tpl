{{- define "berth.labels" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/part-of: berth
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "berth.subjects" -}}
[{kind: ServiceAccount, name: berthd, namespace: {{ .Release.Namespace }}}]
{{- end }}

{{- define "berth.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{/* The two differ in how kube-scheduler sees the cluster: steering.mode view, or nominate. */}}
{{- define "berth.config" -}}
{{- $file := ternary "files/beside.yaml" "files/in-place.yaml" .Values.kubeScheduler.enabled }}
{{- $text := .Values.config | default (.Files.Get $file) }}
{{- $mode := dig "steering" "mode" "nominate" (fromYaml $text) }}
{{- if and .Values.kubeScheduler.enabled (ne $mode "view") }}
{{- fail (printf "config: steering.mode is %q; with kubeScheduler.enabled it must be \"view\"" $mode) }}
{{- end }}
{{- $text }}
{{- end }}

{{- define "berth.kubeSchedulerConfig" -}}
{{- .Values.kubeScheduler.config | default (.Files.Get "files/kube-scheduler-config.yaml") }}
{{- end }}

{{/* Vendors append to the version what images are not tagged with. */}}
{{- define "berth.kubeSchedulerTag" -}}
{{- .Values.kubeScheduler.image.tag
      | default (regexFind "^v[0-9]+\\.[0-9]+\\.[0-9]+" .Capabilities.KubeVersion.Version) }}
{{- end }}

{{- define "berth.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
