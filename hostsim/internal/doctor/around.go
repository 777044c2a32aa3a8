package doctor

import (
	"fmt"
	"slices"
	"strings"

	"warmroute/plugin/config"
)

// surroundings judges what an Envoy has around the module: buffers, time-outs, retries, what clients may set, labels.
func (s *Setup) surroundings() []Finding {
	header, via, scan := config.EndpointHeader, config.ViaHeader, 2<<20
	for _, f := range s.Filters {
		if c, err := config.Parse(f.JSON); err == nil && c.Role == config.RoleGateway {
			p := poolsOf(&c)[0]
			header, via = p.Steer.Header, p.Steer.Via
			if scan = c.ScanBytes; scan == 0 {
				scan = 2 << 20
			}
		}
	}
	var out []Finding
	for _, m := range s.Managers {
		if !managerOf(m) {
			continue
		}
		where := "listener " + str(m, "stat_prefix")
		out = append(out, buffers(m, where, scan, via)...)
		out = append(out, routes(m, where)...)
		if via == config.ViaHeader && !removes(m, header) {
			out = append(out, Finding{Weak, where, "clients steer themselves by " + header + " while the module does not run", "early_header_mutation_extensions: [{name: envoy.http.early_header_mutation.header_mutation, typed_config: {…, mutations: [{remove: " + header + "}]}}]"})
		}
		if !logsDecision(m) {
			out = append(out, Finding{Weak, where, "the access log has no decisions", "%FILTER_STATE(wasm.warmroute:PLAIN)% in its format"})
		}
	}
	var missing []string
	for _, label := range []string{"reason", "outcome", "endpoint", "policy"} {
		if !slices.Contains(s.Tags, label) {
			missing = append(missing, label)
		}
	}
	if len(missing) > 0 && s.whole && !s.mentions("extraStatTags") {
		cure := "stats_config: {stats_tags: ["
		for i, label := range missing {
			if i > 0 {
				cure += ", "
			}
			cure += fmt.Sprintf(`{tag_name: %s, regex: '(%s=\.=(.*?);\.;)'}`, label, label)
		}
		out = append(out, Finding{Weak, "stats_config", "metrics have no label " + strings.Join(missing, ", ") + ": the dashboard and the alerts find nothing", cure + "]}"})
	}
	return out
}

// managerOf says whether a connection manager has a wasm filter of its own, other than one that answers other gateways or holds requests.
func managerOf(m map[string]any) bool {
	found := false
	walk(m["http_filters"], "", func(_ string, f map[string]any) bool {
		if c, ok := f["config"].(map[string]any); ok && typed(f, "wasm.v3.Wasm") {
			parsed, err := config.Parse(fromWasm("", c).JSON)
			found = found || err != nil || parsed.Role == config.RoleGateway
		}
		found = found || f["config_discovery"] != nil
		return true
	})
	return found
}

// buffers judges whether what is held until the decision fits.
func buffers(m map[string]any, where string, scan int, via config.Via) []Finding {
	var most float64
	walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		most = max(most, number(at, "request_body_buffer_limit"))
		return true
	})
	if m["route_config"] == nil || via == config.ViaProperty { // routes come from elsewhere, or a buffer filter has the limit
		return nil
	}
	if want := float64(scan + 1<<20); most < want {
		return []Finding{{Weak, where, fmt.Sprintf("bodies above %.0f KiB may be answered 413: what is held until the decision is up to %d KiB and one more read", max(most, 1<<20)/1024, scan/1024), fmt.Sprintf("request_body_buffer_limit: %.0f   # of the virtual host, Envoy 1.37 or newer", max(want, 4<<20))}}
	}
	return nil
}

// routes judges time-outs and retries.
func routes(m map[string]any, where string) []Finding {
	var out []Finding
	short, retried, routed := false, false, false
	walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		r, ok := at["route"].(map[string]any)
		if !ok {
			return true
		}
		routed = true
		if t := str(r, "timeout"); t != "0s" && t != "0" {
			short = true
		}
		retried = retried || r["retry_policy"] != nil
		return true
	})
	if routed && short {
		out = append(out, Finding{Weak, where, "a route ends answers after its time-out (15 s by default), however long they are", "timeout: 0s"})
	}
	if routed && !retried && !strings.Contains(fmt.Sprint(m["route_config"]), "retry_policy") {
		out = append(out, Finding{Weak, where, "nothing is retried: a replica that refuses costs requests", "retry_policy: {retry_on: \"connect-failure,refused-stream,reset-before-request,reset,gateway-error\", num_retries: 2}"})
	}
	return out
}

// removes says whether something takes a header away before the filters.
func removes(m map[string]any, header string) bool {
	found := false
	for _, part := range []any{m["early_header_mutation_extensions"], m["http_filters"], m["route_config"]} {
		walk(part, "", func(_ string, at map[string]any) bool {
			found = found || strings.EqualFold(str(at, "remove"), header)
			return true
		})
	}
	return found
}

func logsDecision(m map[string]any) bool {
	return strings.Contains(fmt.Sprint(m["access_log"]), "wasm.warmroute")
}
