// Package setup writes configurations of the module to paste: the JSON itself, an Istio WasmPlugin, and a filter of a plain
// Envoy. Addresses and names that it is not given are placeholders.
package setup

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Settings are what a configuration says, and where it goes.
type Settings struct {
	Policy    string
	Shadow    string         // "": none
	More      map[string]any // further members
	Endpoints []string       // of a plain Envoy, ip:port
	Service   string         // of Kubernetes: host:port
}

// Placeholders are used where no endpoints are given.
var Placeholders = []string{"10.0.0.1:8000", "10.0.0.2:8000"}

// Forms are the names that Text takes.
var Forms = []string{"json", "wasmplugin", "envoy"}

// Text returns the configuration in one of the Forms.
func (s Settings) Text(form string) (string, error) {
	switch form {
	case "json":
		return s.JSON(), nil
	case "wasmplugin":
		return s.WasmPlugin(), nil
	case "envoy":
		return s.Envoy(), nil
	}
	return "", fmt.Errorf("form %q: want one of %s", form, strings.Join(Forms, ", "))
}

// JSON is the module's configuration for a plain Envoy.
func (s Settings) JSON() string {
	endpoints := s.Endpoints
	if len(endpoints) == 0 {
		endpoints = Placeholders
	}
	return s.members([]member{{"endpoints", endpoints}, {"scrape", map[string]any{"cluster": "vllm"}}})
}

type member struct {
	name  string
	value any
}

// members is a JSON object, in the order of the list, with the policy first and More at the end.
func (s Settings) members(list []member) string {
	all := []member{{"policy", s.Policy}}
	if s.Shadow != "" {
		all = append(all, member{"shadow", s.Shadow})
	}
	all = append(all, list...)
	for _, name := range sorted(s.More) {
		all = append(all, member{name, s.More[name]})
	}
	var b bytes.Buffer
	b.WriteString("{\n")
	for i, m := range all {
		value, _ := json.Marshal(m.value) // of strings, numbers, lists and maps
		text := strings.NewReplacer(`","`, `", "`, `":`, `": `, `,"`, `, "`).Replace(string(value))
		fmt.Fprintf(&b, "  %q: %s", m.name, text)
		if i < len(all)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("}\n")
	return b.String()
}

// WasmPlugin is the resource for Istio; the EnvoyFilter of istio/wasmplugin goes with it.
func (s Settings) WasmPlugin() string {
	service := s.Service
	if service == "" {
		service = "vllm.default.svc.cluster.local:8000"
	}
	host, port, _ := strings.Cut(Completed(service), ":")
	configuration := s.members([]member{
		{"discovery", map[string]any{"cluster": fmt.Sprintf("outbound|%s||%s", port, host), "admin_cluster": "prometheus_stats"}},
		{"steer", map[string]any{"target": "endpoint", "via": "property"}},
	})
	return `# With the EnvoyFilter of istio/wasmplugin, which makes the cluster take the choice.
apiVersion: extensions.istio.io/v1alpha1
kind: WasmPlugin
metadata:
  name: warmroute
  namespace: istio-system # the gateway's
spec:
  selector:
    matchLabels: {istio: ingressgateway}
  url: oci://registry.example.com/warmroute:0.1.0
  imagePullPolicy: IfNotPresent
  pluginName: warmroute
  failStrategy: FAIL_OPEN
  pluginConfig: ` + indent(configuration, "    ", true)
}

// Completed is a Service's name in the usual cluster domain, and its port: those that are not given are the namespace default and 8000.
func Completed(service string) string {
	host, port, ok := strings.Cut(service, ":")
	if !ok {
		port = "8000"
	}
	return qualified(host) + ":" + port
}

// qualified is the name that Istio has for a Service: NAME and NAME.NAMESPACE mean those of the usual cluster domain.
func qualified(host string) string {
	switch labels := strings.Split(host, "."); {
	case len(labels) == 1:
		return host + ".default.svc.cluster.local"
	case len(labels) == 2:
		return host + ".svc.cluster.local"
	case len(labels) == 3 && labels[2] == "svc":
		return host + ".cluster.local"
	}
	return host
}

// Envoy is the HTTP filter of a plain Envoy, to stand before the router; examples/envoy/endpoint.yaml has the cluster.
func (s Settings) Envoy() string {
	return `# Before the router. The cluster takes the choice by its override_host policy: examples/envoy/endpoint.yaml.
- name: warmroute
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.wasm.v3.Wasm
    config:
      name: warmroute
      root_id: warmroute
      allow_on_headers_stop_iteration: true
      failure_policy: FAIL_RELOAD
      vm_config: {vm_id: warmroute, runtime: envoy.wasm.runtime.v8, code: {local: {filename: build/warmroute.wasm}}}
      configuration:
        "@type": type.googleapis.com/google.protobuf.StringValue
        value: |
` + indent(s.JSON(), "          ", false)
}

func indent(text, by string, butFirst bool) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := range lines {
		if i > 0 || !butFirst {
			lines[i] = by + lines[i]
		}
	}
	return strings.Join(lines, "\n") + "\n"
}

func sorted(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }
