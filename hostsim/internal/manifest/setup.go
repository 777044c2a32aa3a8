// Package manifest finds warmroute in configurations: our own, an Envoy's (a file, or what a running one shows), those of Istio and
// of Envoy Gateway. What is right or wrong with it is not judged here.
package manifest

import (
	"maps"
	"slices"
	"strings"

	"warmroute/hostsim/internal/tree"
)

// Setup is what was found of warmroute in a configuration, and what stands around it.
type Setup struct {
	Filters   []Filter
	Clusters  []map[string]any // of Envoy, all
	Managers  []map[string]any // HTTP connection managers
	Listeners []map[string]any
	Routes    []map[string]any // RouteConfigurations that a control plane gives
	Tags      []string         // of stats_config
	Patches   []Patch          // of Istio's EnvoyFilters
	Rules     []Rule           // of VirtualServices and HTTPRoutes
	Backend   []map[string]any // Envoy Gateway's BackendTrafficPolicies
	Client    []map[string]any // and its ClientTrafficPolicies
	Envoy     bool             // it is an Envoy's configuration: what is absent is missing
	Alone     bool             // it is a bootstrap as Envoy reads it, with nothing around it
	Running   bool             // it is what a running Envoy shows
	Whole     bool             // an Envoy's bootstrap is part of it: nothing is in other files, but for what Envoy asks a control plane for
	CDS       bool             // a control plane adds clusters
	Hashed    []string         // headers that routes hash by
	texts     []string         // every text of it, for what is only mentioned
}

// Collect finds the modules and their surroundings in documents or in Envoy's /config_dump.
func Collect(documents []any) *Setup {
	s := &Setup{}
	s.Alone = len(documents) == 1 && tree.Member(documents[0], "static_resources") != nil
	discovered(documents)
	s.seeAll("", documents)
	return s
}

// seeAll sees what stands anywhere in documents, at a place of theirs.
func (s *Setup) seeAll(place string, documents []any) {
	each(place, documents, func(place string, m map[string]any) bool {
		s.see(place, m)
		return !placed(m)
	})
}

// Join adds what another file has. Listeners and clusters that are in files of their own are one Envoy's.
func (s *Setup) Join(o *Setup, file string) {
	for _, f := range o.Filters {
		f.File = file
		s.Filters = append(s.Filters, f)
	}
	s.Clusters, s.Managers, s.Patches = append(s.Clusters, o.Clusters...), append(s.Managers, o.Managers...), append(s.Patches, o.Patches...)
	s.Listeners = append(s.Listeners, o.Listeners...)
	s.Backend, s.Client = append(s.Backend, o.Backend...), append(s.Client, o.Client...)
	s.Routes, s.Rules = append(s.Routes, o.Routes...), append(s.Rules, o.Rules...)
	s.Tags, s.Hashed, s.texts = append(s.Tags, o.Tags...), append(s.Hashed, o.Hashed...), append(s.texts, o.texts...)
	s.Whole, s.CDS = s.Whole || o.Whole, s.CDS || o.CDS
	s.Envoy = s.Envoy || o.Envoy || len(s.Managers) > 0 && len(s.Clusters) > 0
}

func (s *Setup) see(place string, m map[string]any) {
	s.Running = s.Running || tree.Typed(m, "BootstrapConfigDump")
	s.Whole = s.Whole || s.Running || m["static_resources"] != nil
	s.Envoy = s.Envoy || s.Whole
	s.CDS = s.CDS || m["cds_config"] != nil || m["ads_config"] != nil
	for _, v := range m {
		if text, ok := v.(string); ok {
			s.texts = append(s.texts, text)
		}
	}
	for _, policy := range tree.Items(m, "hash_policy") {
		s.Hashed = append(s.Hashed, strings.ToLower(tree.Str(policy, "header", "header_name")))
	}
	if m["filter_chains"] != nil || m["default_filter_chain"] != nil {
		s.Listeners = append(s.Listeners, m)
	}
	switch {
	case tree.Typed(m, "filters.http.wasm.v3.Wasm"):
		if c, ok := m["config"].(map[string]any); ok && IsOurs(c) {
			s.Filters = append(s.Filters, FromWasm(place, c))
		}
	case tree.Typed(m, "HttpConnectionManager"):
		s.Managers = append(s.Managers, m)
	case tree.Typed(m, "route.v3.RouteConfiguration") && !strings.Contains(place, "static_route_configs"): // those are the managers' own
		s.Routes = append(s.Routes, m)
	case tree.Typed(m, "cluster.v3.Cluster"), m["name"] != nil && (m["load_assignment"] != nil || m["connect_timeout"] != nil && (m["type"] != nil || m["cluster_type"] != nil)):
		s.Clusters = append(s.Clusters, m)
	case m["stats_tags"] != nil:
		for _, t := range tree.Items(m, "stats_tags") {
			s.Tags = append(s.Tags, tree.Str(t, "tag_name"))
		}
	case tree.Str(m, "kind") == "ConfigMap":
		s.files(m)
	case tree.Str(m, "kind") == "EnvoyFilter":
		s.Patches = append(s.Patches, patches(m)...)
	case tree.Str(m, "kind") == "VirtualService", tree.Str(m, "kind") == "HTTPRoute":
		s.Rules = append(s.Rules, routed(m)...)
	case tree.Str(m, "kind") == "WasmPlugin":
		spec, _ := m["spec"].(map[string]any)
		if strings.Contains(strings.ToLower(tree.Str(spec, "pluginName")+tree.Str(spec, "url")+tree.Str(m, "metadata", "name")), "warmroute") || looksOurs(spec["pluginConfig"]) {
			f := fromTree(WasmPlugin+tree.Str(m, "metadata", "name"), spec["pluginConfig"])
			f.Meshed, f.Space = meshed(m, "selector"), tree.Str(m, "metadata", "namespace")
			if f.Spec = spec; spec["pluginConfig"] == nil {
				f.Fault, f.Cure = "it has no pluginConfig", "spec: {pluginConfig: {discovery: …, steer: {via: property}}}   # as in istio/wasmplugin"
			}
			s.Filters = append(s.Filters, f)
		}
	case tree.Str(m, "kind") == "BackendTrafficPolicy":
		s.Backend = append(s.Backend, m)
	case tree.Str(m, "kind") == "ClientTrafficPolicy":
		s.Client = append(s.Client, m)
	case tree.Str(m, "kind") == "EnvoyExtensionPolicy":
		for _, w := range tree.Items(m, "spec", "wasm") {
			if looksOurs(tree.Member(w, "config")) || strings.Contains(tree.Str(w, "name"), "warmroute") {
				f := fromTree(ExtensionPolicy+tree.Str(m, "metadata", "name"), tree.Member(w, "config"))
				f.Spec, _ = w.(map[string]any)
				f.Space = tree.Str(m, "metadata", "namespace")
				for _, ref := range append(tree.Items(m, "spec", "targetRefs"), tree.Member(m, "spec", "targetRef")) {
					if tree.Str(ref, "kind") == "HTTPRoute" {
						f.Targets = append(f.Targets, tree.Str(ref, "name"))
					}
				}
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
		if documents, err := tree.Documents([]byte(text)); err == nil { // else it is something else
			s.seeAll(name, documents)
		}
	}
}
