{{/* What the API server has. Each gives the version of an API, or nothing. By `helm template` only
the version of Kubernetes is known, and by --api-versions what that option names. */}}

{{- define "berth.validatingPolicies" -}}
{{- if or (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/ValidatingAdmissionPolicy")
      (semverCompare ">=1.30.0-0" .Capabilities.KubeVersion.Version) -}}
admissionregistration.k8s.io/v1
{{- end }}
{{- end }}

{{- define "berth.mutatingPolicies" -}}
{{- if or (.Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1/MutatingAdmissionPolicy")
      (semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version) -}}
admissionregistration.k8s.io/v1
{{- else if .Capabilities.APIVersions.Has "admissionregistration.k8s.io/v1beta1/MutatingAdmissionPolicy" -}}
admissionregistration.k8s.io/v1beta1
{{- end }}
{{- end }}

{{- define "berth.flowSchemas" -}}
{{- ternary "flowcontrol.apiserver.k8s.io/v1" "flowcontrol.apiserver.k8s.io/v1beta3"
      (semverCompare ">=1.29.0-0" .Capabilities.KubeVersion.Version) }}
{{- end }}

{{- define "berth.monitor" -}}
{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1/PodMonitor" -}}
monitoring.coreos.com/v1
{{- end }}
{{- end }}

{{- define "berth.rules" -}}
{{- if .Capabilities.APIVersions.Has "monitoring.coreos.com/v1/PrometheusRule" -}}
monitoring.coreos.com/v1
{{- end }}
{{- end }}

{{/* Rules in definitions that compare amounts. */}}
{{- define "berth.definitionRules" -}}
{{- if semverCompare ">=1.34.0-0" .Capabilities.KubeVersion.Version }}true{{ end }}
{{- end }}

{{- define "berth.needsQuota" -}}
{{- $asked := .Values.priorityClassQuota | toString }}
{{- if and .Values.priorityClassName (or (eq $asked "true")
      (and (eq $asked "auto") (contains "-gke." .Capabilities.KubeVersion.Version))) }}true{{ end }}
{{- end }}
