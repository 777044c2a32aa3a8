package manifest

import (
	"encoding/json"
	"strings"

	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// Filter is one warmroute module.
type Filter struct {
	Where  string
	File   string         // that it is in, for findings; "": not said
	JSON   []byte         // its configuration
	Wasm   map[string]any // the PluginConfig; nil: of a WasmPlugin or of our JSON alone
	Fault  string         // why JSON could not be read; "" if it could
	Cure   string         // of Fault
	Plugin bool           // of a WasmPlugin or an EnvoyExtensionPolicy: the flag cannot be set
	Spec   map[string]any // of a WasmPlugin, or one of an EnvoyExtensionPolicy's modules
	Meshed bool           // of a WasmPlugin: at all workloads of the mesh
	Space  string         // the namespace of a WasmPlugin or an EnvoyExtensionPolicy; "": not said

	Targets []string // the HTTPRoutes of an EnvoyExtensionPolicy
}

// ExtensionPolicy begins where Envoy Gateway's filters are.
const ExtensionPolicy = "EnvoyExtensionPolicy "

// WasmPlugin begins where Istio's filters are.
const WasmPlugin = "WasmPlugin "

func fromTree(where string, document any) Filter {
	text, err := json.Marshal(document)
	f := Filter{Where: where, JSON: text, Plugin: true}
	if err != nil || document == nil {
		f.JSON = []byte("{}")
	}
	return f
}

// FromWasm reads an Envoy PluginConfig.
func FromWasm(place string, c map[string]any) Filter {
	f := Filter{Where: "filter " + tree.Str(c, "name"), Wasm: c, JSON: []byte("{}")}
	if tree.Str(c, "name") == "" {
		f.Where = "filter at " + place
	}
	configuration, _ := c["configuration"].(map[string]any)
	switch {
	case configuration == nil:
	case tree.Typed(configuration, "StringValue"):
		f.JSON = []byte(tree.Str(configuration, "value"))
	default:
		f.Cure = `configuration: {"@type": type.googleapis.com/google.protobuf.StringValue, value: '{…}'}`
		f.Fault = "its configuration is a " + tree.Str(configuration, "@type") + ", which Envoy hands over in binary form"
	}
	return f
}

// IsOurs says whether a PluginConfig is that of warmroute: by its names, its file, or what its configuration has.
func IsOurs(c map[string]any) bool {
	for _, text := range []string{tree.Str(c, "name"), tree.Str(c, "root_id"), tree.Str(c, "vm_config", "vm_id"), tree.Str(c, "vm_config", "code", "local", "filename"), tree.Str(c, "vm_config", "code", "remote", "http_uri", "uri")} {
		if strings.Contains(strings.ToLower(text), "warmroute") {
			return true
		}
	}
	var document any
	return json.Unmarshal([]byte(tree.Str(c, "configuration", "value")), &document) == nil && looksOurs(document)
}

// looksOurs says whether a document has members that together only our configuration has.
func looksOurs(document any) bool {
	m, _ := document.(map[string]any)
	if m["role"] == config.RoleGate.String() {
		return true
	}
	n := 0
	for _, name := range []string{"policy", "endpoints", "discovery", "scrape", "steer", "response_header", "pools", "prefix_hash", "cache_aware"} {
		if m[name] != nil {
			n++
		}
	}
	return n >= 2
}

// Environment are the names of the variables that a module is given.
func (f *Filter) Environment() (names []string) {
	given, _ := tree.Member(f.Wasm, "vm_config", "environment_variables").(map[string]any)
	for _, list := range [][]any{tree.Items(given, "host_env_keys"), tree.Items(f.Spec, "env", "hostKeys")} {
		for _, name := range list {
			if text, ok := name.(string); ok {
				names = append(names, text)
			}
		}
	}
	values, _ := given["key_values"].(map[string]any)
	for name := range values {
		names = append(names, name)
	}
	for _, e := range tree.Items(f.Spec, "vmConfig", "env") {
		names = append(names, tree.Str(e, "name"))
	}
	return names
}
