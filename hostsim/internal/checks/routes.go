package checks

import (
	"fmt"
	"strings"
	"time"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// patience is how long a replica may need until its response begins: under load a long prompt waits in a queue, and a response that is
// not streamed begins with its last token. A shorter limit makes slow requests failures, and retries them where they are computed anew.
const patience = time.Minute

// buffers judges whether what is held until the decision fits, held bytes and one more read.
func (s setup) buffers(m map[string]any, where string, held int, via config.Via) []finding.Finding {
	var most float64
	tree.Walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		most = max(most, tree.Number(at, "request_body_buffer_limit"))
		return true
	})
	if via == config.ViaProperty {
		return s.buffered(m, where, most)
	}
	out := bounded(m, where, held)
	if m["route_config"] == nil { // routes come from elsewhere
		return out
	}
	if want := float64(held + config.OneRead); most < want {
		out = append(out, finding.Weak.At(where, fmt.Sprintf("bodies above %.0f KiB may be answered 413: what is held until the decision is up to %d KiB and one more read", max(most, 1<<20)/1024, held/1024), fmt.Sprintf("request_body_buffer_limit: %.0f   # of the virtual host, Envoy 1.37 or newer", max(want, 4<<20))))
	}
	return out
}

// buffered judges the filter that holds requests where the choice is a property. limit is the largest request_body_buffer_limit of
// the manager's own routes.
func (s setup) buffered(m map[string]any, where string, limit float64) []finding.Finding {
	if s.Gated() {
		return nil
	}
	held, found := 0.0, false
	tree.Walk(m["http_filters"], "", func(_ string, at map[string]any) bool {
		if tree.Typed(at, "filters.http.buffer.v3.Buffer") {
			held, found = tree.Number(at, "max_request_bytes"), true
		}
		return true
	})
	switch {
	case !found:
		return []finding.Finding{finding.Broken.At(where, "steer.via is property, and no buffer filter holds requests until the choice is made: large ones go on without it", "the buffer filter of examples/envoy/property.yaml, behind warmroute")}
	case m["route_config"] != nil && limit > 0 && limit < held:
		return []finding.Finding{finding.Weak.At(where, fmt.Sprintf("bodies above %.0f KiB are answered 413: request_body_buffer_limit is below the buffer filter's max_request_bytes", limit/1024), fmt.Sprintf("request_body_buffer_limit: %.0f", held))}
	}
	return []finding.Finding{finding.Fine.At(where, fmt.Sprintf("bodies above %.0f KiB are answered 413 (max_request_bytes of the buffer filter)", held/1024), "")}
}

// routes judges time-outs and retries of a manager's own routes. hold is how long a request may wait at the gateway before.
func routes(m map[string]any, where string, hold time.Duration) []finding.Finding {
	retried, routed := false, false
	var out []finding.Finding
	tree.Walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		if r, ok := at["route"].(map[string]any); ok {
			routed, retried = true, retried || r["retry_policy"] != nil
			out = append(out, impatient(r, where, hold)...)
		}
		return true
	})
	out = append(out, lasting(tree.Str(m, "common_http_protocol_options", "max_stream_duration"), where)...)
	out = append(out, idle(tree.Str(m, "stream_idle_timeout"), "stream_idle_timeout", where, hold)...)
	if routed && !retried && !strings.Contains(fmt.Sprint(m["route_config"]), "retry_policy") {
		out = append(out, finding.Weak.At(where, "nothing is retried: a replica that refuses costs requests", "retry_policy: {retry_on: \"connect-failure,refused-stream,reset-before-request,reset,gateway-error\", num_retries: 2}"))
	}
	return finding.Distinct(out)
}

// discovered judges the time-outs of routes that a control plane gives, as far as they lead to clusters of these gateways. hold is as for
// routes.
func (s setup) discovered(routes map[string]any, gateways []config.Config, hold time.Duration) (out []finding.Finding) {
	ours := map[string]bool{}
	property := false
	for i := range gateways {
		for _, p := range s.Steered(&gateways[i]) {
			ours[p.Discovery.Cluster], ours[p.Scrape.Cluster], ours[p.Steer.Cluster] = true, true, true
			property = property || p.Steer.Via == config.ViaProperty && p.Steer.Target == config.TargetEndpoint
		}
	}
	if property && s.offByDefault() && !s.Gated() {
		out = unheld(routes, ours)
	}
	tree.Walk(routes["virtual_hosts"], "", func(_ string, at map[string]any) bool {
		if r, ok := at["route"].(map[string]any); ok && tree.Str(r, "cluster") != "" && ours[tree.Str(r, "cluster")] {
			out = append(out, impatient(r, "routes "+tree.Str(routes, "name"), hold)...)
		}
		return true
	})
	return finding.Distinct(out)
}

// longestHold is how long a request may wait at one of these gateways for room at most.
func longestHold(gateways []config.Config) (longest time.Duration) {
	for i := range gateways {
		for _, p := range manifest.PoolsOf(&gateways[i]) {
			if p.Policy == config.PolicyCacheAware {
				longest = max(longest, time.Duration(p.HoldLimit))
			}
		}
	}
	return longest
}

// impatient judges the time-outs of one route.
func impatient(r map[string]any, where string, hold time.Duration) (out []finding.Finding) {
	if t := tree.Str(r, "timeout"); t != "0s" && t != "0" {
		out = append(out, finding.Weak.At(where, "a route ends answers after its time-out (15 s by default), however long they are", "timeout: 0s"))
	}
	for _, name := range []string{"per_try_timeout", "per_try_idle_timeout"} {
		if t := tree.Str(r, "retry_policy", name); short(t, 0) {
			out = append(out, finding.Weak.At(where, name+" "+t+" makes a slow replica a failure: its requests are computed again elsewhere, under load the more", "no "+name+", or minutes: it must outlast the queue and, without streaming, the whole answer"))
		}
	}
	out = append(out, lasting(tree.Str(r, "max_stream_duration", "max_stream_duration"), where)...)
	return append(out, idle(tree.Str(r, "idle_timeout"), "idle_timeout", where, hold)...)
}

// lasting judges how long a stream may last, whatever comes of it.
func lasting(most, where string) []finding.Finding {
	if !short(most, 9*patience) {
		return nil
	}
	return []finding.Finding{finding.Weak.At(where, "max_stream_duration "+most+" ends answers that take longer, in the middle", "no max_stream_duration, or an hour")}
}

// idle judges a time-out of streams in which nothing happens. Unlike others it runs while a request waits at the gateway.
func idle(timeout, name, where string, hold time.Duration) []finding.Finding {
	if !short(timeout, hold) {
		return nil
	}
	what := name + " " + timeout + " ends requests that wait for their first token"
	if hold > 0 {
		what += ", at the gateway up to " + hold.String() + " of it (hold_limit)"
	}
	return []finding.Finding{finding.Weak.At(where, what, name+": 300s")}
}

// short says whether a time-out ends what may take a replica's patience after so long a wait. "" and 0 are none.
func short(timeout string, wait time.Duration) bool {
	d, err := time.ParseDuration(timeout)
	return err == nil && d > 0 && d < patience+wait
}
