// Package doctor says whether a running Envoy routes by warmroute as it should: by its admin interface, and by the replicas behind it.
package doctor

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"warmroute/hostsim/internal/checks"
	"warmroute/hostsim/internal/counts"
	"warmroute/hostsim/internal/fetch"
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/promtext"
)

// Options say what to examine.
type Options struct {
	Admin    string        // base URL of Envoy's admin interface
	Replicas bool          // ask the replicas too, at the addresses that Envoy has
	Timeout  time.Duration // of one request
	Now      func() time.Time
}

// Examine judges a running Envoy. The error is that of the admin interface.
func Examine(ctx context.Context, o Options) ([]finding.Finding, error) {
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
	var out []finding.Finding
	setup := manifest.Collect([]any{dump})
	setup.Filters = once(setup.Filters)
	if len(setup.Filters) == 0 {
		out = append(out, finding.Broken.At("envoy", "no module of warmroute is in its configuration", "hostsim advise --form envoy prints a filter"))
	}
	out = append(out, checks.Judge(setup)...)
	if text, err = fetch.Page(ctx, o.Admin+"/server_info", o.Timeout); err == nil {
		out = append(out, version(text)...)
	}
	out = append(out, switched(ctx, o)...)
	page, err := stats(ctx, o)
	if err == nil && counts.KnowsNone(page) && page.Total("warmroute_requests_total") == 0 {
		select { // what is not urgent is counted a second later
		case <-ctx.Done():
		case <-time.After(settles):
		}
		page, err = stats(ctx, o)
	}
	if err != nil {
		return nil, err
	}
	out = append(out, counts.Judge(page, o.Now())...)
	if o.Replicas {
		all, err := fleets(ctx, o, setup)
		if err != nil {
			return nil, err
		}
		replicas := examineReplicas(ctx, o, all)
		out = append(append(out, replicas...), mismatched(checks.OverTLS(setup), counts.Failing(page), replicas)...)
	}
	finding.Sort(out)
	return finding.Distinct(out), nil
}

// settles is after how long all that the module has counted is in Envoy's metrics: twice what it takes at most.
const settles = 2 * time.Second

// stats are Envoy's metrics.
func stats(ctx context.Context, o Options) (promtext.Page, error) {
	text, err := fetch.Page(ctx, o.Admin+"/stats/prometheus", o.Timeout)
	if err != nil {
		return nil, err
	}
	page, err := promtext.Read(text)
	if err != nil {
		return nil, fmt.Errorf("%s/stats/prometheus: %w", o.Admin, err)
	}
	return page, nil
}

// once drops filters that the dump has twice: in the bootstrap and in the listeners.
func once(filters []manifest.Filter) (out []manifest.Filter) {
	for _, f := range filters {
		if !slices.ContainsFunc(out, func(g manifest.Filter) bool { return bytes.Equal(f.JSON, g.JSON) && f.Fault == g.Fault }) {
			out = append(out, f)
		}
	}
	return out
}

// version judges the Envoy's version.
func version(text []byte) []finding.Finding {
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
		return []finding.Finding{finding.Broken.At("envoy", "Envoy "+parts[1]+" does not know allow_on_headers_stop_iteration", "Envoy 1.37 or newer; or steer: {via: property}")}
	case major == 1 && minor < 37:
		return []finding.Finding{finding.Weak.At("envoy", "Envoy "+parts[1]+" does not know request_body_buffer_limit", "Envoy 1.37 or newer; or per_connection_buffer_limit_bytes: 4194304")}
	}
	return []finding.Finding{finding.Fine.At("envoy", "Envoy "+parts[1], "")}
}
