package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/fetch"
)

// Options say what to examine.
type Options struct {
	Admin    string        // base URL of Envoy's admin interface
	Replicas bool          // ask the replicas too, at the addresses that Envoy has
	Timeout  time.Duration // of one request
	Now      func() time.Time
}

// Examine judges a running Envoy. The error is that of the admin interface.
func Examine(ctx context.Context, o Options) ([]Finding, error) {
	if o.Admin = strings.TrimSuffix(o.Admin, "/"); !strings.Contains(o.Admin, "://") {
		o.Admin = "http://" + o.Admin
	}
	var dump any
	text, err := fetch.Page(ctx, o.Admin+"/config_dump?include_eds", o.Timeout)
	if err != nil {
		return nil, fmt.Errorf("%w\nEnvoy's admin interface is needed there (--admin URL); in Kubernetes: kubectl port-forward POD 15000 in Istio, 19000 in Envoy Gateway", err)
	}
	if err := json.Unmarshal(text, &dump); err != nil {
		return nil, fmt.Errorf("%s/config_dump: not JSON, so not Envoy's admin interface: %w", o.Admin, err)
	}
	var out []Finding
	setup := Collect([]any{dump})
	setup.Filters = once(setup.Filters)
	if len(setup.Filters) == 0 {
		out = append(out, Finding{Broken, "envoy", "no module of warmroute is in its configuration", "hostsim advise --form envoy prints a filter"})
	}
	out = append(out, setup.Check()...)
	if text, err = fetch.Page(ctx, o.Admin+"/server_info", o.Timeout); err == nil {
		out = append(out, version(text)...)
	}
	page, err := stats(ctx, o)
	if err == nil && page.knowsNone() && page.total("warmroute_requests_total") == 0 {
		select { // what is not urgent is counted a second later
		case <-ctx.Done():
		case <-time.After(settles):
		}
		page, err = stats(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	out = append(out, counted(page, o.Now())...)
	if o.Replicas {
		all, err := fleets(ctx, o, setup)
		if err != nil {
			return nil, err
		}
		out = append(out, examineReplicas(ctx, o, all)...)
	}
	Sort(out)
	return distinct(out), nil
}

// settles is after how long all that the module has counted is in Envoy's metrics: twice what it takes at most.
const settles = 2 * time.Second

// stats are Envoy's metrics.
func stats(ctx context.Context, o Options) (pageOf, error) {
	text, err := fetch.Page(ctx, o.Admin+"/stats/prometheus", o.Timeout)
	if err != nil {
		return nil, err
	}
	page, err := readPage(text)
	if err != nil {
		return nil, fmt.Errorf("%s/stats/prometheus: %w", o.Admin, err)
	}
	return page, nil
}

// knowsNone says whether requests were not steered because the module knows no endpoint.
func (p pageOf) knowsNone() bool {
	shown := p["warmroute_endpoints"] != nil || p.total("warmroute_requests_total") == 0 // their number comes seconds after the first request
	return shown && p.total("warmroute_endpoints") == 0 && p.sum("warmroute_passed_total", "reason", "no_endpoints") > 0
}

// total is the sum over all labels.
func (p pageOf) total(name string) float64 { return p.sum(name, "", "") }

// distinct drops findings that are there twice: a dump has a listener in the bootstrap and among the listeners.
func distinct(all []Finding) (out []Finding) {
	for _, f := range all {
		if !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// once drops filters that the dump has twice: in the bootstrap and in the listeners.
func once(filters []Filter) (out []Filter) {
	for _, f := range filters {
		if !slices.ContainsFunc(out, func(g Filter) bool { return bytes.Equal(f.JSON, g.JSON) && f.Fault == g.Fault }) {
			out = append(out, f)
		}
	}
	return out
}

// version judges the Envoy's version.
func version(text []byte) []Finding {
	var info struct{ Version string }
	if json.Unmarshal(text, &info) != nil {
		return nil
	}
	parts := strings.Split(info.Version, "/")
	if len(parts) < 2 {
		return nil
	}
	var major, minor int
	if _, err := fmt.Sscanf(parts[1], "%d.%d", &major, &minor); err != nil {
		return nil
	}
	switch {
	case major == 1 && minor < 35:
		return []Finding{{Broken, "envoy", "Envoy " + parts[1] + " does not know allow_on_headers_stop_iteration", "Envoy 1.37 or newer; or steer: {via: property}"}}
	case major == 1 && minor < 37:
		return []Finding{{Weak, "envoy", "Envoy " + parts[1] + " does not know request_body_buffer_limit", "Envoy 1.37 or newer; or per_connection_buffer_limit_bytes: 4194304"}}
	}
	return []Finding{{Fine, "envoy", "Envoy " + parts[1], ""}}
}
