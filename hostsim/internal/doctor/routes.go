package doctor

import (
	"fmt"
	"strings"
	"time"

	"warmroute/plugin/config"
)

// patience is how long a replica may need until its response begins: under load a long prompt waits in a queue, and a response that is
// not streamed begins with its last token. A shorter limit makes slow requests failures, and retries them where they are computed anew.
const patience = time.Minute

// buffers judges whether what is held until the decision fits.
func (s *Setup) buffers(m map[string]any, where string, scan int, via config.Via) []Finding {
	var most float64
	walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		most = max(most, number(at, "request_body_buffer_limit"))
		return true
	})
	if via == config.ViaProperty {
		return s.buffered(m, where, most)
	}
	if m["route_config"] == nil { // routes come from elsewhere
		return nil
	}
	if want := float64(scan + 1<<20); most < want {
		return []Finding{{Weak, where, fmt.Sprintf("bodies above %.0f KiB may be answered 413: what is held until the decision is up to %d KiB and one more read", max(most, 1<<20)/1024, scan/1024), fmt.Sprintf("request_body_buffer_limit: %.0f   # of the virtual host, Envoy 1.37 or newer", max(want, 4<<20))}}
	}
	return nil
}

// buffered judges the filter that holds requests where the choice is a property. limit is the largest request_body_buffer_limit of
// the manager's own routes.
func (s *Setup) buffered(m map[string]any, where string, limit float64) []Finding {
	if s.gated() {
		return nil
	}
	held, found := 0.0, false
	walk(m["http_filters"], "", func(_ string, at map[string]any) bool {
		if typed(at, "filters.http.buffer.v3.Buffer") {
			held, found = number(at, "max_request_bytes"), true
		}
		return true
	})
	switch {
	case !found:
		return []Finding{{Broken, where, "steer.via is property, and no buffer filter holds requests until the choice is made: large ones go on without it", "the buffer filter of examples/envoy/property.yaml, behind warmroute"}}
	case m["route_config"] != nil && limit > 0 && limit < held:
		return []Finding{{Weak, where, fmt.Sprintf("bodies above %.0f KiB are answered 413: request_body_buffer_limit is below the buffer filter's max_request_bytes", limit/1024), fmt.Sprintf("request_body_buffer_limit: %.0f", held)}}
	}
	return []Finding{{Fine, where, fmt.Sprintf("bodies above %.0f KiB are answered 413 (max_request_bytes of the buffer filter)", held/1024), ""}}
}

// routes judges time-outs and retries of a manager's own routes. hold is how long a request may wait at the gateway before.
func routes(m map[string]any, where string, hold time.Duration) []Finding {
	retried, routed := false, false
	var out []Finding
	walk(m["route_config"], "", func(_ string, at map[string]any) bool {
		if r, ok := at["route"].(map[string]any); ok {
			routed, retried = true, retried || r["retry_policy"] != nil
			out = append(out, impatient(r, where, hold)...)
		}
		return true
	})
	out = append(out, idle(str(m, "stream_idle_timeout"), "stream_idle_timeout", where, hold)...)
	if routed && !retried && !strings.Contains(fmt.Sprint(m["route_config"]), "retry_policy") {
		out = append(out, Finding{Weak, where, "nothing is retried: a replica that refuses costs requests", "retry_policy: {retry_on: \"connect-failure,refused-stream,reset-before-request,reset,gateway-error\", num_retries: 2}"})
	}
	return distinct(out)
}

// discovered judges the time-outs of routes that a control plane gives, as far as they lead to clusters of these gateways. hold is as for
// routes.
func (s *Setup) discovered(routes map[string]any, gateways []config.Config, hold time.Duration) (out []Finding) {
	ours := map[string]bool{}
	property := false
	for i := range gateways {
		for _, p := range s.steered(&gateways[i]) {
			ours[p.Discovery.Cluster], ours[p.Scrape.Cluster], ours[p.Steer.Cluster] = true, true, true
			property = property || p.Steer.Via == config.ViaProperty && p.Steer.Target == config.TargetEndpoint
		}
	}
	if property && s.offByDefault() && !s.gated() {
		out = unheld(routes, ours)
	}
	walk(routes["virtual_hosts"], "", func(_ string, at map[string]any) bool {
		if r, ok := at["route"].(map[string]any); ok && str(r, "cluster") != "" && ours[str(r, "cluster")] {
			out = append(out, impatient(r, "routes "+str(routes, "name"), hold)...)
		}
		return true
	})
	return distinct(out)
}

// eachRoute walks over all routes: the listeners' own, and those that come from elsewhere.
func (s *Setup) eachRoute(see func(place string, m map[string]any) bool) {
	for _, m := range s.Managers {
		walk(m["route_config"], "", see)
	}
	for _, r := range s.Routes {
		walk(r, "", see)
	}
}

// gateways are the configurations of the filters that route.
func (s *Setup) gateways() []config.Config { return s.ofRole(config.RoleGateway) }

func (s *Setup) ofRole(role config.Role) (all []config.Config) {
	for _, f := range s.Filters {
		if c, err := config.Parse(f.JSON); err == nil && c.Role == role {
			all = append(all, c)
		}
	}
	return all
}

// longestHold is how long a request may wait at one of these gateways for room at most.
func longestHold(gateways []config.Config) (longest time.Duration) {
	for i := range gateways {
		for _, p := range poolsOf(&gateways[i]) {
			if p.Policy == config.PolicyCacheAware {
				longest = max(longest, time.Duration(p.HoldLimit))
			}
		}
	}
	return longest
}

// impatient judges the time-outs of one route.
func impatient(r map[string]any, where string, hold time.Duration) (out []Finding) {
	if t := str(r, "timeout"); t != "0s" && t != "0" {
		out = append(out, Finding{Weak, where, "a route ends answers after its time-out (15 s by default), however long they are", "timeout: 0s"})
	}
	for _, name := range []string{"per_try_timeout", "per_try_idle_timeout"} {
		if t := str(r, "retry_policy", name); short(t, 0) {
			out = append(out, Finding{Weak, where, name + " " + t + " makes a slow replica a failure: its requests are computed again elsewhere, under load the more", "no " + name + ", or minutes: it must outlast the queue and, without streaming, the whole answer"})
		}
	}
	return append(out, idle(str(r, "idle_timeout"), "idle_timeout", where, hold)...)
}

// idle judges a time-out of streams in which nothing happens. Unlike others it runs while a request waits at the gateway.
func idle(timeout, name, where string, hold time.Duration) []Finding {
	if !short(timeout, hold) {
		return nil
	}
	what := name + " " + timeout + " ends requests that wait for their first token"
	if hold > 0 {
		what += ", at the gateway up to " + hold.String() + " of it (hold_limit)"
	}
	return []Finding{{Weak, where, what, name + ": 300s"}}
}

// short says whether a time-out ends what may take a replica's patience after so long a wait. "" and 0 are none.
func short(timeout string, wait time.Duration) bool {
	d, err := time.ParseDuration(timeout)
	return err == nil && d > 0 && d < patience+wait
}
