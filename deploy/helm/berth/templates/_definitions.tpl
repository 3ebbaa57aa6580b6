{{/* Takes the rules out of a schema. It is done in place and prints nothing. */}}
{{- define "berth.withoutRules" -}}
{{- $here := . }}
{{- if kindIs "map" $here }}
{{- $_ := unset $here "x-kubernetes-validations" }}
{{- range $_, $value := $here }}{{ include "berth.withoutRules" $value }}{{ end }}
{{- else if kindIs "slice" $here }}
{{- range $here }}{{ include "berth.withoutRules" . }}{{ end }}
{{- end }}
{{- end }}

{{/* "berth" or "another" if a definition is there that this release has not made, which Helm would
refuse to write; a list of context and name. */}}
{{- define "berth.leftDefinition" -}}
{{- $context := index . 0 }}
{{- $live := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" ""
      (printf "%s.scheduling.volcano.sh" (index . 1)) }}
{{- if $live }}
{{- $made := $live.metadata.annotations | default dict }}
{{- $labels := $live.metadata.labels | default dict }}
{{- if not (and (eq (get $made "meta.helm.sh/release-name") $context.Release.Name)
      (eq (get $made "meta.helm.sh/release-namespace") $context.Release.Namespace)
      (eq (get $labels "app.kubernetes.io/managed-by") "Helm")) }}
{{- ternary "berth" "another" (has "berth" ($live.spec.names.categories | default list)) }}
{{- end }}
{{- end }}
{{- end }}
