{{- define "berth.labels" -}}
{{- include "berth.labelsWith" (list . dict) }}
{{- end }}

{{/* A list of context and further labels; the chart's own come first. */}}
{{- define "berth.labelsWith" -}}
{{- $context := index . 0 }}
{{- include "berth.check" $context }}
{{- merge (dict "app.kubernetes.io/name" "berth" "app.kubernetes.io/part-of" "berth"
      "app.kubernetes.io/managed-by" $context.Release.Service
      "helm.sh/chart" (printf "%s-%s" $context.Chart.Name $context.Chart.Version))
      (index . 1) $context.Values.labels | toYaml }}
{{- end }}

{{/* A file of deploy/ with the release's labels and namespace: a list of context and name. */}}
{{- define "berth.file" -}}
{{- $context := index . 0 }}
{{- $labels := printf "\nmetadata:\n  labels:%s\n" (include "berth.labels" $context | nindent 4) }}
{{- $context.Files.Get (index . 1) | replace "\nmetadata:\n" $labels
      | replace "namespace: berth-system" (printf "namespace: %s" $context.Release.Namespace)
      | replace "[berth-system]" (printf "[%s]" $context.Release.Namespace) }}
{{- end }}

{{- define "berth.subjects" -}}
[{kind: ServiceAccount, name: berthd, namespace: {{ .Release.Namespace }}}]
{{- end }}

{{- define "berth.kubeSchedulerSubjects" -}}
[{kind: ServiceAccount, name: berth-kube-scheduler, namespace: {{ .Release.Namespace }}}]
{{- end }}

{{/* A list of the image and its tag, which a digest replaces. */}}
{{- define "berth.imageOf" -}}
{{- $image := index . 0 }}
{{- if $image.digest -}}
{{ $image.repository }}@{{ $image.digest }}
{{- else -}}
{{ $image.repository }}:{{ $image.tag | default (index . 1) }}
{{- end }}
{{- end }}

{{- define "berth.image" -}}
{{ include "berth.imageOf" (list .Values.image .Chart.AppVersion) }}
{{- end }}

{{/* Vendors append to the version what images are not tagged with. */}}
{{- define "berth.kubeSchedulerImage" -}}
{{- $running := .Capabilities.KubeVersion.Version }}
{{- $version := regexFind "^v[0-9]+\\.[0-9]+\\.[0-9]+" $running
      | default (regexFind "^v[0-9]+\\.[0-9]+" $running | printf "%s.0") }}
{{- include "berth.imageOf" (list .Values.kubeScheduler.image $version) }}
{{- end }}

{{- define "berth.confined" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: {drop: [ALL]}
{{- end }}
