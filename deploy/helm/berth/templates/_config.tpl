{{/* Helm gives the chart no defaults for keys that the former chart did not have. */}}
{{- define "berth.check" -}}
{{- if not (hasKey .Values "schedulerNames") }}
{{- fail (print "the values are those of an older chart, by --reuse-values; " (
      "use --reset-then-reuse-values, or give your values anew by -f FILE")) }}
{{- end }}
{{- end }}

{{/* Text as YAML; a list of the name and the value. */}}
{{- define "berth.parsed" -}}
{{- $read := fromYaml (index . 1) }}
{{- if hasKey $read "Error" }}
{{- fail (printf "%s is no YAML map: %s" (index . 0) $read.Error) }}
{{- end }}
{{- toJson $read }}
{{- end }}

{{/* The names that Berth serves, as JSON. */}}
{{- define "berth.names" -}}
{{- include "berth.check" . }}
{{- $read := include "berth.parsed" (list "config" .Values.config) | fromJson }}
{{- $configured := $read.schedulerNames | default list }}
{{- if not (kindIs "slice" $configured) }}
{{- fail (printf "config: schedulerNames is %q, expected a list" (toString $configured)) }}
{{- end }}
{{- /* Both become CEL in policies. */}}
{{- range append $configured ($read.defaultQueue | default "default") }}
{{- if not (regexMatch "^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$" (toString .)) }}
{{- fail (printf "config: %q is no name of a scheduler or queue, expected as in \"berth\"" (toString .)) }}
{{- end }}
{{- end }}
{{- range $key, $names := dict "config" $configured "admission" .Values.admission.schedulerNames }}
{{- if and $names $.Values.schedulerNames
      (ne (sortAlpha $names | toJson) (sortAlpha $.Values.schedulerNames | toJson)) }}
{{- fail (printf "schedulerNames are %s, and %s.schedulerNames are %s; leave out the latter"
      (join ", " $.Values.schedulerNames) $key (join ", " $names)) }}
{{- end }}
{{- end }}
{{- .Values.schedulerNames | default $configured | default .Values.admission.schedulerNames
      | default (list "berth") | toJson }}
{{- end }}

{{/* As a list of CEL. */}}
{{- define "berth.celNames" -}}
{{- include "berth.names" . | fromJsonArray | join "', '" | printf "['%s']" }}
{{- end }}

{{/* The two files differ in how kube-scheduler sees the cluster: steering.mode view, or nominate. */}}
{{- define "berth.config" -}}
{{- $file := ternary "files/beside.yaml" "files/in-place.yaml" .Values.kubeScheduler.enabled }}
{{- $text := .Values.config | default (.Files.Get $file) }}
{{- $read := include "berth.parsed" (list "config" $text) | fromJson }}
{{- if not (kindIs "map" ($read.steering | default dict)) }}
{{- fail "config: steering is no map" }}
{{- end }}
{{- $mode := dig "steering" "mode" "nominate" $read }}
{{- if and .Values.kubeScheduler.enabled (ne $mode "view") }}
{{- fail (printf "config: steering.mode is %q; with kubeScheduler.enabled it must be \"view\"" $mode) }}
{{- end }}
{{- $names := include "berth.names" . | fromJsonArray }}
{{- $isAsGiven := eq (toJson ($read.schedulerNames | default (list "berth"))) (toJson $names) }}
{{- if not $isAsGiven }}{{ $_ := set $read "schedulerNames" $names }}{{ end }}
{{- with .Values.tls }}
{{- if .secretName }}
{{- $isAsGiven = false }}
{{- $files := dict "certFile" "/etc/berth-tls/tls.crt" "keyFile" "/etc/berth-tls/tls.key" }}
{{- if .clientCA }}{{ $_ := set $files "clientCAFile" "/etc/berth-tls/ca.crt" }}{{ end }}
{{- range ternary (list "pages") (list "pages" "extender") $.Values.kubeScheduler.enabled }}
{{- $section := get $read . | default dict }}
{{- if $section.tls }}
{{- fail (printf "config has %s.tls, and tls.secretName is set; leave out one of them" .) }}
{{- end }}
{{- $_ := set $read . (set $section "tls" $files) }}
{{- end }}
{{- end }}
{{- end }}
{{- if $isAsGiven }}{{ $text }}{{ else }}{{ toYaml $read }}{{ end }}
{{- end }}

{{/* A profile that is not among the names would have each replica schedule its pods. */}}
{{- define "berth.kubeSchedulerConfig" -}}
{{- $names := include "berth.names" . | fromJsonArray }}
{{- $shipped := .Files.Get "files/kube-scheduler-config.yaml" }}
{{- with .Values.kubeScheduler.config }}
{{- $read := include "berth.parsed" (list "kubeScheduler.config" .) | fromJson }}
{{- $profiles := list }}
{{- range $read.profiles }}
{{- $profiles = append $profiles (.schedulerName | default "default-scheduler") }}
{{- end }}
{{- if ne (sortAlpha $profiles | toJson) (sortAlpha $names | toJson) }}
{{- fail (printf "kubeScheduler.config has profiles for %q, and schedulerNames are %q; both must be the same"
      (join ", " $profiles) (join ", " $names)) }}
{{- end }}
{{- . }}
{{- else }}
{{- if eq (toJson $names) (list "berth" | toJson) }}
{{- $shipped }}
{{- else }}
{{- $read := fromYaml $shipped }}
{{- $profiles := list }}
{{- range $names }}
{{- $profiles = append $profiles (set (deepCopy (first $read.profiles)) "schedulerName" .) }}
{{- end }}
{{- set $read "profiles" $profiles | toYaml }}
{{- end }}
{{- end }}
{{- end }}
