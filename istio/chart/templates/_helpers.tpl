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

{{/* The module's configuration: the chart's own, and over it the user's. */}}
{{- define "warmroute.config" -}}
{{- $cluster := printf "outbound|%v||%s" .Values.service.port (include "warmroute.host" .) -}}
{{- $via := ternary "property" "header" (eq .Values.variant "wasmplugin") -}}
{{- $own := dict "discovery" (dict "admin_cluster" "prometheus_stats" "cluster" $cluster) "steer" (dict "target" "endpoint" "via" $via) -}}
{{- mergeOverwrite $own (deepCopy (default dict .Values.config)) | toPrettyJson -}}
{{- end }}

{{/* The cluster takes the endpoints that the header names, in order; Istio's EDS, mTLS and outlier detection stay. */}}
{{- define "warmroute.cluster" -}}
- applyTo: CLUSTER
  match:
    context: GATEWAY
    cluster: {service: {{ include "warmroute.host" . }}, portNumber: {{ .Values.service.port }}}
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
    route: {name: {{ .Values.route }}}
{{- end }}
