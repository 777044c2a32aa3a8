{{- define "warmroute.host" -}}
{{ .Values.service.name }}.{{ .Values.service.namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{/* What the object is attached to: a Gateway of the Gateway API, or the pods of Istio's own gateway. */}}
{{- define "warmroute.target" -}}
{{- $gateway := index . 1 -}}
{{- if $gateway.name -}}
targetRefs:
- {group: gateway.networking.k8s.io, kind: Gateway, name: {{ $gateway.name }}}
{{- else -}}
{{ index . 0 }}:
  {{ index . 2 }}: {{ toJson $gateway.selector }}
{{- end }}
{{- end }}

{{/* The Gateway of the Gateway API, as a route in the Service's namespace names it. */}}
{{- define "warmroute.parent" -}}
- name: {{ .Values.gateway.name }}
{{- if ne .Values.gateway.namespace .Values.service.namespace }}
  namespace: {{ .Values.gateway.namespace }} # which must take routes of this one: allowedRoutes
{{- end }}
{{- end }}

{{/* The labels of the gateway's pods. */}}
{{- define "warmroute.pods" -}}
{{- if .Values.gateway.name }}{{ toJson (dict "gateway.networking.k8s.io/gateway-name" .Values.gateway.name) }}{{ else }}{{ toJson .Values.gateway.selector }}{{ end -}}
{{- end }}

{{/* Whether gateways tell each other what they route: "true" or "". With consistent-hash they know no pods to tell of. */}}
{{- define "warmroute.shares" -}}
{{- if and .Values.gateways.share (ne .Values.variant "consistent-hash") }}true{{ end -}}
{{- end }}

{{/* The Service by which the gateways find each other. */}}
{{- define "warmroute.gateways" -}}
warmroute-gateways.{{ .Values.gateway.namespace }}.svc.{{ .Values.clusterDomain }}
{{- end }}

{{/* The header that carries the choice. */}}
{{- define "warmroute.header" -}}
{{- get (dict "subsets" "x-warmroute-cluster" "consistent-hash" "x-warmroute-key") .Values.variant | default "x-gateway-destination-endpoint" -}}
{{- end }}

{{/* Whether the module is loaded by an EnvoyFilter, which can set the flag that a header needs: "true" or "". */}}
{{- define "warmroute.flag" -}}
{{- if has .Values.variant (list "envoyfilter" "subsets") }}true{{ end -}}
{{- end }}

{{/* Whether servers have data-parallel ranks, which requests name in a header: "true" or "". */}}
{{- define "warmroute.ranks" -}}
{{- $most := int (get (default dict .Values.config) "data_parallel_ranks") -}}
{{- range .Values.pools }}{{ $most = max $most (int (get (default dict .config) "data_parallel_ranks")) }}{{ end -}}
{{- if gt $most 1 }}true{{ end -}}
{{- end }}

{{/* The module's configuration: the chart's own, and over it the user's. */}}
{{- define "warmroute.config" -}}
{{- $values := .Values -}}
{{- $host := include "warmroute.host" . -}}
{{- $cluster := printf "outbound|%v||%s" .Values.service.port $host -}}
{{- if eq .Values.variant "inferencepool" -}}{{/* Istio's Service for the pool: NAME-ip- and the first 8 digits of the name's SHA-256 */}}
{{- $cluster = printf "outbound|54321||%s-ip-%s.%s.svc.%s" .Values.service.name (sha256sum .Values.service.name | trunc 8) .Values.service.namespace .Values.clusterDomain -}}
{{- end -}}
{{- $via := ternary "header" "property" (eq (include "warmroute.flag" .) "true") -}}
{{- $target := get (dict "subsets" "cluster" "consistent-hash" "hash") .Values.variant | default "endpoint" -}}
{{- $own := dict "policy" "cache_aware" "discovery" (dict "admin_cluster" "prometheus_stats" "cluster" $cluster) "steer" (dict "target" $target "via" $via) -}}
{{- if eq .Values.variant "consistent-hash" -}}
{{- $own = dict "policy" "prefix_key" "steer" (dict "target" $target "via" $via) -}}
{{- else if .Values.pools -}}
{{- if ne .Values.variant "envoyfilter" }}{{ fail "pools: variant: envoyfilter is needed" }}{{ end -}}
{{- $pools := list -}}
{{- range .Values.pools -}}
{{- $pool := dict "name" .name -}}
{{- $service := printf "outbound|%v||%s.%s.svc.%s" $values.service.port (default .name .service) $values.service.namespace $values.clusterDomain -}}
{{- if contains "*" (default .name .service) -}}
{{- $_ := set $pool "match" (dict "cluster" $service) -}}
{{- else -}}
{{- $_ := set $pool "discovery" (dict "cluster" $service) -}}
{{- with .models }}{{ $_ := set $pool "match" (dict "models" .) }}{{ end -}}
{{- end -}}
{{- $pools = append $pools (mergeOverwrite $pool (deepCopy (default dict .config))) -}}
{{- end -}}
{{- $own = dict "discovery" (dict "admin_cluster" "prometheus_stats") "pools" $pools -}}
{{- end -}}
{{- if include "warmroute.shares" . -}}
{{- if ne (dig "peers" "trust" "mtls" (default dict .Values.config)) "mtls" }}{{ fail "config.peers.trust: the chart's filter that answers knows gateways by mtls; gateways.share: false, and filters of your own" }}{{ end -}}
{{- $_ := set $own "peers" (dict "cluster" (printf "outbound|%v||%s" .Values.gateways.port (include "warmroute.gateways" .)) "trust" "mtls") -}}
{{- end -}}
{{- mergeOverwrite $own (deepCopy (default dict .Values.config)) | toPrettyJson -}}
{{- end }}

{{/* The clusters of the module's choice: of the Service, or of all at its port. */}}
{{- define "warmroute.cluster" -}}
{{- if .Values.pools -}}
{{- include "warmroute.override" (printf "portNumber: %v" .Values.service.port) -}}
{{- else -}}
{{- include "warmroute.override" (printf "service: %s, portNumber: %v" (include "warmroute.host" .) .Values.service.port) -}}
{{- end -}}
{{- end }}

{{/* A cluster takes the endpoints that the header names, in order; Istio's EDS, mTLS and outlier detection stay. */}}
{{- define "warmroute.override" -}}
- applyTo: CLUSTER
  match:
    context: GATEWAY
    cluster: {{ printf "{%s}" . }}
  patch:
    operation: MERGE
    value:
      lb_policy: LOAD_BALANCING_POLICY_CONFIG
      load_balancing_policy:
        policies:
        - typed_extension_config:
            name: envoy.load_balancing_policies.override_host
            typed_config:
              "@type": type.googleapis.com/envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost
              override_host_sources:
              - header: x-gateway-destination-endpoint
              fallback_policy: # for what warmroute passes on unsteered
                policies:
                - typed_extension_config:
                    name: envoy.load_balancing_policies.least_request
                    typed_config:
                      "@type": type.googleapis.com/envoy.extensions.load_balancing_policies.least_request.v3.LeastRequest
{{- end }}

{{- define "warmroute.before_router" -}}
context: GATEWAY
listener:
  filterChain:
    filter:
      name: envoy.filters.network.http_connection_manager
      subFilter: {name: envoy.filters.http.router}
{{- end }}

{{- define "warmroute.route" -}}
context: GATEWAY
routeConfiguration:
  vhost:
    route: {{ if .Values.pools }}{action: ROUTE} # all that lead to a cluster{{ else }}{name: {{ .Values.route }}}{{ end }}
{{- end }}

{{/* What is retried on the route: an HTTPRoute has no retries. A sidecar answers 503 for a server that has died, which Istio's own do not retry. */}}
{{- define "warmroute.retries" -}}
{{- if and .Values.gateway.name (not .Values.pools) (ne .Values.variant "subsets") -}}
route:
  retry_policy: {retry_on: "connect-failure,refused-stream,reset-before-request,reset,gateway-error"}
{{- end -}}
{{- end }}
