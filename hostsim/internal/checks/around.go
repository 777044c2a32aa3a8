package checks

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// surroundings judges what an Envoy has around the module: buffers, time-outs, retries, what clients may set, labels.
func (s setup) surroundings() []finding.Finding {
	via, held := config.ViaHeader, 2<<20
	gateways := s.Gateways()
	for i := range gateways {
		via = gateways[i].Steer.Via // of all its pools
		held = heldBytes(&gateways[i])
	}
	hold := longestHold(gateways)
	var out []finding.Finding
	for _, m := range s.Managers {
		if !managerOf(m) {
			continue
		}
		where := "listener " + tree.Str(m, "stat_prefix")
		out = append(out, twice(m, where)...)
		out = append(out, behind(m, where)...)
		out = append(out, unpacked(m, where)...)
		out = append(out, s.off(m, where)...)
		out = append(out, s.buffers(m, where, held, via)...)
		out = append(out, routes(m, where, hold)...)
		out = append(out, s.led(m, where, gateways)...)
		out = append(out, addressed(m, where)...)
		if m["internal_address_config"] == nil && slices.ContainsFunc(gateways, asksInternal) {
			out = append(out, finding.Weak.At(where, "policy_header counts from internal requests, and Envoy takes none for internal (since 1.33)", "internal_address_config: {cidr_ranges: [{address_prefix: 10.0.0.0, prefix_len: 8}]}; or policy_header_from: any, and the header removed from clients' requests"))
		}
		for _, header := range carrying(gateways) {
			if removes(m, header) {
				continue
			}
			out = append(out, finding.Weak.At(where, "clients steer themselves by "+header+" while the module does not run", "early_header_mutation_extensions: [{name: envoy.http.early_header_mutation.header_mutation, typed_config: {…, mutations: [{remove: "+header+"}]}}]"))
		}
		if !logsDecision(m) {
			out = append(out, finding.Weak.At(where, "the access log has no decisions", "%FILTER_STATE(wasm.warmroute:PLAIN)% in its format"))
		}
	}
	for _, routes := range s.Routes {
		out = append(out, s.discovered(routes, gateways, hold)...)
	}
	var missing []string
	for _, label := range []string{"reason", "outcome", "endpoint", "policy"} {
		if !slices.Contains(s.Tags, label) {
			missing = append(missing, label)
		}
	}
	if len(missing) > 0 && s.Whole && !s.Mentions("extraStatTags") {
		cure := "stats_config: {stats_tags: ["
		for i, label := range missing {
			if i > 0 {
				cure += ", "
			}
			cure += fmt.Sprintf(`{tag_name: %s, regex: '(%s=\.=(.*?);\.;)'}`, label, label)
		}
		out = append(out, finding.Weak.At("stats_config", "metrics have no label "+strings.Join(missing, ", ")+": the dashboard and the alerts find nothing", cure+"]}"))
	}
	return out
}

// managerOf says whether a connection manager has a wasm filter of its own, other than one that answers other gateways or holds requests.
func managerOf(m map[string]any) bool {
	found := false
	tree.Walk(m["http_filters"], "", func(_ string, f map[string]any) bool {
		if c, ok := f["config"].(map[string]any); ok && tree.Typed(f, "wasm.v3.Wasm") {
			parsed, err := config.Parse(manifest.FromWasm("", c).JSON)
			found = found || err != nil || parsed.Role == config.RoleGateway
		}
		found = found || f["config_discovery"] != nil && f["typed_config"] == nil // of which nothing is known
		return true
	})
	return found
}

// twice names filters of one chain that all route: the module loaded by two resources, say. Those that are off, and on for some
// routes, are not counted.
func twice(m map[string]any, where string) []finding.Finding {
	var names []string
	for _, f := range tree.Items(m, "http_filters") {
		if !disabled(f) && routing(f) {
			names = append(names, tree.Str(f, "name"))
		}
	}
	if len(names) < 2 {
		return nil
	}
	return []finding.Finding{finding.Weak.At(where, "its filters "+strings.Join(names, ", ")+" all route: each request is decided and counted by each of them, and the last one's choice holds", "one of them; \"pools\" for several Services")}
}

// asksInternal says whether only internal requests may name their policy.
func asksInternal(c config.Config) bool {
	return c.PolicyHeader != "" && c.PolicyHeaderFrom == config.FromInternal
}

// addressed judges whether clients are told apart by addresses that they cannot name themselves.
func addressed(m map[string]any, where string) []finding.Finding {
	if m["use_remote_address"] == true || tree.Number(m, "xff_num_trusted_hops") > 0 || len(tree.Items(m, "original_ip_detection_extensions")) > 0 {
		return nil
	}
	return []finding.Finding{finding.Weak.At(where, "clients name their own address (x-forwarded-for): failures of one client count as those of many, and can take replicas out of use", "use_remote_address: true   # and xff_num_trusted_hops behind a load balancer; not behind a proxy that clients cannot pass by")}
}

// carrying are the headers that carry the choice of gateways to Envoy, and that clients could send too.
func carrying(gateways []config.Config) (headers []string) {
	if len(gateways) == 0 { // as far as is known
		return []string{config.EndpointHeader}
	}
	for i := range gateways {
		for _, p := range manifest.PoolsOf(&gateways[i]) {
			if p.Steer.Via == config.ViaHeader {
				headers = append(headers, p.Steer.Header)
			}
			if p.Steer.Via == config.ViaHeader && p.DataParallelRanks > 1 {
				headers = append(headers, config.RankHeader)
			}
			if p.Steer.Cluster != "" {
				headers = append(headers, config.ClusterHeader)
			}
		}
	}
	slices.Sort(headers)
	return slices.Compact(headers)
}

// removes says whether something takes a header away before the filters.
func removes(m map[string]any, header string) bool {
	found := false
	for _, part := range []any{m["early_header_mutation_extensions"], m["http_filters"], m["route_config"]} {
		tree.Walk(part, "", func(_ string, at map[string]any) bool {
			found = found || strings.EqualFold(tree.Str(at, "remove"), header)
			return true
		})
	}
	return found
}

func logsDecision(m map[string]any) bool {
	return strings.Contains(fmt.Sprint(m["access_log"]), "wasm.warmroute")
}
