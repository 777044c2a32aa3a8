package doctor

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/plugin/config"
)

// Check judges what Collect has found.
func (s *Setup) Check() []Finding {
	var out []Finding
	for i := range s.Filters {
		f := &s.Filters[i]
		for _, found := range s.filter(f) {
			if f.File != "" && found.Where == f.Where {
				found.Where = f.File + ": " + f.Where
			}
			out = append(out, found)
		}
	}
	if len(s.Filters) > 0 && s.Envoy {
		out = append(out, s.surroundings()...)
	}
	Sort(out)
	return out
}

// filter judges one module.
func (s *Setup) filter(f *Filter) []Finding {
	if f.Fault != "" {
		return []Finding{{Broken, f.Where, f.Fault, f.Cure}}
	}
	c, err := config.Parse(f.JSON)
	if err != nil {
		var out []Finding
		faults := config.Faults(f.JSON)
		var lines *lineWalk
		if faults[0].Field != "" { // else the JSON is broken, and its place is known
			lines = linesOf(f.JSON)
		}
		for _, fault := range faults {
			what := "the configuration is refused: "
			if line := lines.field(fault.Field); line > 0 {
				what = fmt.Sprintf("the configuration is refused, in its line %d: ", line)
			}
			out = append(out, Finding{Broken, f.Where, what + fault.Error(), ""})
		}
		out[len(out)-1].Cure = "plugin/config/README.md has all fields"
		if strings.HasSuffix(out[0].What, "not '/'") {
			out[0].Cure = "JSON has no comments: leave them out, or write YAML, which check and request read"
		}
		return out
	}
	if c.Role == config.RolePeers { // it answers other gateways, and routes nothing
		return []Finding{{Fine, f.Where, "the configuration is taken: it answers other gateways", ""}}
	}
	if c.Role == config.RoleGate {
		return []Finding{{Fine, f.Where, "the configuration is taken: it holds requests until the filter before it has chosen", ""}}
	}
	out := []Finding{{Fine, f.Where, fmt.Sprintf("the configuration is taken: policy %s, %s", c.Policy, sources(&c)), ""}}
	pools := []config.Pool{c.Pool}
	if len(c.Pools) > 0 {
		pools = nil
		for _, p := range c.Pools {
			pools = append(pools, p.Pool)
		}
	}
	if strings.HasPrefix(f.Where, extensionPolicy) && c.Steer.Via == config.ViaProperty && !s.gated() && !s.mentions("wasm.warmroute_endpoint") {
		out = append(out, Finding{Broken, f.Where, "steer.via is property, and nothing makes it the header " + c.Steer.Header, "wasm: […, {name: gate, code: …, config: {role: gate}}]   # behind this one, as in examples/envoy-gateway"})
	}
	seen := map[string]bool{}
	add := func(all ...Finding) {
		for _, one := range all {
			if key := one.What + one.Cure; !seen[key] {
				seen[key] = true
				out = append(out, one)
			}
		}
	}
	for i := range pools {
		add(s.flag(f, &pools[i])...)
		add(s.names(f, &pools[i])...)
		add(s.patched(f, &pools[i])...)
		if s.Envoy {
			add(s.steering(f, &pools[i])...)
		}
	}
	if c.Record && s.Envoy && !s.mentions("wasm.warmroute_record") {
		add(Finding{Weak, f.Where, "record is on, and no access log has the records", "%FILTER_STATE(wasm.warmroute_record:PLAIN)% in its format"})
	}
	add(f.resource()...)
	p := str(f.Wasm, "failure_policy")
	if member(f.Wasm, "fail_open") == true { // its older name, which Envoy Gateway writes
		p = "FAIL_OPEN"
	}
	if f.Wasm != nil && p != "FAIL_RELOAD" && !(p == "FAIL_OPEN" && f.fetched()) {
		add(Finding{Weak, f.Where, "failure_policy is " + orNone(p) + ": after a trap every request of that worker gets 503, or goes unsteered, until Envoy gets a new configuration", "failure_policy: FAIL_RELOAD"})
	}
	return out
}

// fetched says whether the module comes over the network, by Envoy or by Istio's agent: then FAIL_OPEN is what lets requests pass
// while it cannot be had (istio/README.md).
func (f *Filter) fetched() bool {
	return member(f.Wasm, "vm_config", "code", "remote") != nil || strings.Contains(str(f.Wasm, "vm_config", "code", "local", "filename"), "/istio/")
}

func orNone(s string) string {
	if s == "" {
		return "not set"
	}
	return s
}

func sources(c *config.Config) string {
	switch {
	case len(c.Pools) > 0:
		return fmt.Sprintf("%d pools", len(c.Pools))
	case c.Discovery.Cluster != "":
		return "endpoints discovered in cluster " + c.Discovery.Cluster
	case c.Steer.Target == config.TargetHash:
		return "by a key, without endpoints"
	}
	if len(c.Endpoints) == 1 {
		return "1 endpoint"
	}
	return fmt.Sprintf("%d endpoints", len(c.Endpoints))
}

// flag judges whether a held request is shown its body.
func (s *Setup) flag(f *Filter, p *config.Pool) []Finding {
	flagged := member(f.Wasm, "allow_on_headers_stop_iteration") == true
	switch {
	case f.Plugin && p.Steer.Via == config.ViaHeader:
		return []Finding{{Broken, f.Where, "steer.via is header, which needs a flag that this resource cannot set: Envoy never shows a held request its body, and all goes by load", "steer: {via: property}   # with the EnvoyFilter of istio/wasmplugin"}}
	case f.Wasm != nil && p.Steer.Via == config.ViaHeader && !flagged:
		return []Finding{{Broken, f.Where, "Envoy never shows a held request its body: the first three requests of a worker wait decide_timeout, then all goes by load", "allow_on_headers_stop_iteration: true   # in the filter's config:, Envoy 1.35 or newer"}}
	}
	return nil
}

// steering judges whether the choice reaches the cluster.
func (s *Setup) steering(f *Filter, p *config.Pool) []Finding {
	var out []Finding
	switch p.Steer.Target {
	case config.TargetCluster:
		for _, e := range p.Endpoints {
			if s.cluster(e.Cluster) == nil {
				out = append(out, Finding{Broken, f.Where, "endpoint " + e.Address + " names the cluster " + e.Cluster + ", which there is not: its requests get 503", "clusters: [{name: " + e.Cluster + ", …}]"})
			}
		}
		return out
	case config.TargetHash:
		if !slices.Contains(s.hashed, strings.ToLower(p.Steer.Header)) {
			out = append(out, Finding{Broken, f.Where, "no route hashes by the header " + p.Steer.Header + ", so that the key changes nothing", "route: {hash_policy: [{header: {header_name: " + p.Steer.Header + "}}]}"})
		}
		return out
	}
	names := []string{p.Discovery.Cluster, p.Scrape.Cluster, p.Steer.Cluster}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if name != "" {
			out = append(out, s.overridden(f, p, name)...)
		}
	}
	if p.Scrape.Path == "" {
		out = append(out, Finding{Weak, f.Where, "the replicas' metrics are not read: other clients' requests, restarts and the size of the caches are not known", `"scrape": {"cluster": "NAME"}`})
	}
	if p.Steer.Via == config.ViaProperty && !s.mentions("wasm.warmroute_endpoint") && !s.gated() {
		out = append(out, Finding{Broken, f.Where, "steer.via is property, and no filter makes it the header " + p.Steer.Header, "a header_mutation filter with %FILTER_STATE(wasm.warmroute_endpoint:PLAIN)%, as in examples/envoy/property.yaml; or the module once more, behind this one, with {\"role\": \"gate\"}"})
	}
	return out
}

// overridden judges a cluster that is to take the choice.
func (s *Setup) overridden(f *Filter, p *config.Pool, name string) []Finding {
	where := "cluster " + name
	c := s.cluster(name)
	if c == nil {
		return []Finding{{Broken, f.Where, "there is no cluster " + name + ", which it names", "clusters: [{name: " + name + ", …}]"}}
	}
	var out []Finding
	header := false
	walk(c["load_balancing_policy"], "", func(_ string, m map[string]any) bool {
		for _, source := range items(m, "override_host_sources") {
			header = header || strings.EqualFold(str(source, "header"), p.Steer.Header) || member(source, "metadata") != nil
		}
		return true
	})
	if !header {
		out = append(out, Finding{Broken, where, "it lacks the override_host policy by the header " + p.Steer.Header + ": Envoy balances as it likes, and readings of metrics reach any replica",
			"load_balancing_policy: {policies: [{typed_extension_config: {name: envoy.load_balancing_policies.override_host, typed_config: {\"@type\": type.googleapis.com/envoy.extensions.load_balancing_policies.override_host.v3.OverrideHost, override_host_sources: [{header: " + p.Steer.Header + "}], fallback_policy: …}}}]}"})
	}
	if hosts := addresses(c); len(hosts) > 0 {
		for _, e := range p.Endpoints {
			if !slices.Contains(hosts, e.Address) {
				out = append(out, Finding{Broken, where, "it does not have the endpoint " + e.Address + ": override_host skips it", "the same ip:port in endpoints and in load_assignment"})
			}
		}
	}
	if retries := number(firstOf(items(c, "circuit_breakers", "thresholds")), "max_retries"); retries < 16 {
		out = append(out, Finding{Weak, where, "at most three retries at once, Envoy's default: too few for the moment in which a busy replica dies", "circuit_breakers: {thresholds: [{max_connections: 16384, max_pending_requests: 16384, max_requests: 16384, max_retries: 1024}]}"})
	}
	return out
}

func firstOf(list []any) any {
	if len(list) == 0 {
		return nil
	}
	return list[0]
}

// addresses are the IP addresses and ports that a cluster lists.
func addresses(c map[string]any) (out []string) {
	walk(c["load_assignment"], "", func(_ string, m map[string]any) bool {
		if a, ok := m["socket_address"].(map[string]any); ok && str(a, "address") != "" {
			host := str(a, "address")
			if strings.Contains(host, ":") {
				host = "[" + host + "]"
			}
			out = append(out, fmt.Sprintf("%s:%.0f", host, number(a, "port_value")))
		}
		return true
	})
	return out
}

// gated says whether a filter of the role gate holds requests.
func (s *Setup) gated() bool {
	return slices.ContainsFunc(s.Filters, func(f Filter) bool {
		c, err := config.Parse(f.JSON)
		return err == nil && c.Role == config.RoleGate
	})
}
