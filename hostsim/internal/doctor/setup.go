package doctor

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"warmroute/plugin/config"
)

// Setup is what was found of warmroute in a configuration, and what stands around it.
type Setup struct {
	Filters  []Filter
	Clusters []map[string]any // of Envoy, all
	Managers []map[string]any // HTTP connection managers
	Routes   []map[string]any // RouteConfigurations that a control plane gives
	Tags     []string         // of stats_config
	Patches  []Patch          // of Istio's EnvoyFilters
	Rules    []string         // names of the rules of VirtualServices and HTTPRoutes
	Envoy    bool             // it is an Envoy's configuration: what is absent is missing
	Alone    bool             // it is a bootstrap as Envoy reads it, with nothing around it
	running  bool             // it is what a running Envoy shows
	whole    bool             // the bootstrap is part of it
	cds      bool             // a control plane adds clusters
	hashed   []string         // headers that routes hash by
	texts    []string         // every text of it, for what is only mentioned
}

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
}

// extensionPolicy begins where Envoy Gateway's filters are.
const extensionPolicy = "EnvoyExtensionPolicy "

// Collect finds the modules and their surroundings in documents or in Envoy's /config_dump.
func Collect(documents []any) *Setup {
	s := &Setup{}
	s.Alone = len(documents) == 1 && member(documents[0], "static_resources") != nil
	s.seeAll("", documents)
	return s
}

// seeAll sees what stands anywhere in documents, at a place of theirs.
func (s *Setup) seeAll(place string, documents []any) {
	for _, d := range documents {
		walk(d, place, func(place string, m map[string]any) bool {
			s.see(place, m)
			return true
		})
	}
}

// Whole says whether it is an Envoy's bootstrap: nothing of it is in other files, but for what Envoy asks a control plane for.
func (s *Setup) Whole() bool { return s.whole }

// Join adds what another file has. Listeners and clusters that are in files of their own are one Envoy's.
func (s *Setup) Join(o *Setup, file string) {
	for _, f := range o.Filters {
		f.File = file
		s.Filters = append(s.Filters, f)
	}
	s.Clusters, s.Managers, s.Patches = append(s.Clusters, o.Clusters...), append(s.Managers, o.Managers...), append(s.Patches, o.Patches...)
	s.Routes, s.Rules = append(s.Routes, o.Routes...), append(s.Rules, o.Rules...)
	s.Tags, s.hashed, s.texts = append(s.Tags, o.Tags...), append(s.hashed, o.hashed...), append(s.texts, o.texts...)
	s.whole, s.cds = s.whole || o.whole, s.cds || o.cds
	s.Envoy = s.Envoy || o.Envoy || len(s.Managers) > 0 && len(s.Clusters) > 0
}

func (s *Setup) see(place string, m map[string]any) {
	s.running = s.running || typed(m, "BootstrapConfigDump")
	s.whole = s.whole || s.running || m["static_resources"] != nil
	s.Envoy = s.Envoy || s.whole
	s.cds = s.cds || m["cds_config"] != nil || m["ads_config"] != nil
	for _, v := range m {
		if text, ok := v.(string); ok {
			s.texts = append(s.texts, text)
		}
	}
	for _, policy := range items(m, "hash_policy") {
		s.hashed = append(s.hashed, strings.ToLower(str(policy, "header", "header_name")))
	}
	switch {
	case typed(m, "filters.http.wasm.v3.Wasm"):
		if c, ok := m["config"].(map[string]any); ok && isOurs(c) {
			s.Filters = append(s.Filters, fromWasm(place, c))
		}
	case typed(m, "HttpConnectionManager"):
		s.Managers = append(s.Managers, m)
	case typed(m, "route.v3.RouteConfiguration") && !strings.Contains(place, "static_route_configs"): // those are the managers' own
		s.Routes = append(s.Routes, m)
	case typed(m, "cluster.v3.Cluster"), m["name"] != nil && (m["load_assignment"] != nil || m["connect_timeout"] != nil && m["type"] != nil):
		s.Clusters = append(s.Clusters, m)
	case m["stats_tags"] != nil:
		for _, t := range items(m, "stats_tags") {
			s.Tags = append(s.Tags, str(t, "tag_name"))
		}
	case str(m, "kind") == "ConfigMap":
		s.files(m)
	case str(m, "kind") == "EnvoyFilter":
		s.Patches = append(s.Patches, patches(m)...)
	case str(m, "kind") == "VirtualService", str(m, "kind") == "HTTPRoute":
		s.Rules = append(s.Rules, routed(m)...)
	case str(m, "kind") == "WasmPlugin":
		spec, _ := m["spec"].(map[string]any)
		if strings.Contains(strings.ToLower(str(spec, "pluginName")+str(spec, "url")+str(m, "metadata", "name")), "warmroute") || looksOurs(spec["pluginConfig"]) {
			f := fromTree(wasmPlugin+str(m, "metadata", "name"), spec["pluginConfig"])
			if f.Spec = spec; spec["pluginConfig"] == nil {
				f.Fault, f.Cure = "it has no pluginConfig", "spec: {pluginConfig: {discovery: …, steer: {via: property}}}   # as in istio/wasmplugin"
			}
			s.Filters = append(s.Filters, f)
		}
	case str(m, "kind") == "EnvoyExtensionPolicy":
		for _, w := range items(m, "spec", "wasm") {
			if looksOurs(member(w, "config")) || strings.Contains(str(w, "name"), "warmroute") {
				f := fromTree(extensionPolicy+str(m, "metadata", "name"), member(w, "config"))
				f.Spec, _ = w.(map[string]any)
				s.Filters = append(s.Filters, f)
			}
		}
	}
}

// files reads the configurations that a ConfigMap has as texts.
func (s *Setup) files(m map[string]any) {
	data, _ := m["data"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(data)) {
		text, _ := data[name].(string)
		if documents, err := Documents([]byte(text)); err == nil { // else it is something else
			s.seeAll(name, documents)
		}
	}
}

func fromTree(where string, tree any) Filter {
	text, err := json.Marshal(tree)
	f := Filter{Where: where, JSON: text, Plugin: true}
	if err != nil || tree == nil {
		f.JSON = []byte("{}")
	}
	return f
}

// fromWasm reads an Envoy PluginConfig.
func fromWasm(place string, c map[string]any) Filter {
	f := Filter{Where: "filter " + str(c, "name"), Wasm: c, JSON: []byte("{}")}
	if str(c, "name") == "" {
		f.Where = "filter at " + place
	}
	configuration, _ := c["configuration"].(map[string]any)
	switch {
	case configuration == nil:
	case typed(configuration, "StringValue"):
		f.JSON = []byte(str(configuration, "value"))
	default:
		f.Cure = `configuration: {"@type": type.googleapis.com/google.protobuf.StringValue, value: '{…}'}`
		f.Fault = "its configuration is a " + str(configuration, "@type") + ", which Envoy hands over in binary form"
	}
	return f
}

// isOurs says whether a PluginConfig is that of warmroute: by its names, its file, or what its configuration has.
func isOurs(c map[string]any) bool {
	for _, text := range []string{str(c, "name"), str(c, "root_id"), str(c, "vm_config", "vm_id"), str(c, "vm_config", "code", "local", "filename"), str(c, "vm_config", "code", "remote", "http_uri", "uri")} {
		if strings.Contains(strings.ToLower(text), "warmroute") {
			return true
		}
	}
	var tree any
	return json.Unmarshal([]byte(str(c, "configuration", "value")), &tree) == nil && looksOurs(tree)
}

// looksOurs says whether a tree has members that together only our configuration has.
func looksOurs(tree any) bool {
	m, _ := tree.(map[string]any)
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

// mentions says whether a text is part of one of the configuration's.
func (s *Setup) mentions(text string) bool {
	for _, t := range s.texts {
		if strings.Contains(t, text) {
			return true
		}
	}
	return false
}

// cluster finds a cluster by name; nil: there is none.
func (s *Setup) cluster(name string) map[string]any {
	for _, c := range s.Clusters {
		if str(c, "name") == name {
			return c
		}
	}
	return nil
}
