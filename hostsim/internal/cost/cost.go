// Package cost measures what the module costs the users of an Envoy: CPU by thread, throughput, latency and memory, beside a
// plain Envoy, a second plain one as the control, and modules that do nothing or little. All run at once, in front of the
// same servers, and take turns; every prompt is new or a conversation's next turn, and answers have usage.
package cost

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"text/tabwriter"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// Variant is one Envoy.
type Variant struct {
	Name   string
	Wasm   string         // its module; "": plain
	Plugin map[string]any // members of the module's configuration to replace
	Gate   bool           // as in Envoy Gateway: no flag for the module, and a second instance behind it, role gate
}

// Case is what the client sends.
type Case struct {
	Bytes       int     `json:"body_bytes"`
	Connections int     `json:"connections"` // of the client
	Rate        float64 `json:"open_rps"`    // requests a second, open loop; 0: closed
	Turns       int     `json:"turns"`       // of a conversation; 1: every prompt is new
}

func (c Case) String() string {
	s := fmt.Sprintf("%d KB, %d conn", c.Bytes>>10, c.Connections)
	if c.Rate > 0 {
		s = fmt.Sprintf("%d KB, open %.0f/s", c.Bytes>>10, c.Rate)
	}
	if c.Turns > 1 {
		s += fmt.Sprintf(", %d turns", c.Turns)
	}
	return s
}

// Options say what to measure.
type Options struct {
	Envoy, Config string
	Variants      []Variant // the first is what the others are compared with
	Cases         []Case
	Endpoints     int           // 1 to 1024
	Workers       int           // of each Envoy
	Rounds        int           // of which medians are shown
	Span          time.Duration // of one measurement
}

// Sample is what one measurement showed, for a request.
type Sample struct {
	CPU     map[string]float64 // µs by kind of thread: "worker", "main", "other"
	Seconds float64            // wall time
	P50     float64            // µs
	Longest float64            // ms
}

// Total is the CPU of all threads in µs.
func (s *Sample) Total() (sum float64) {
	for _, cpu := range s.CPU {
		sum += cpu
	}
	return sum
}

// Row is what one variant showed in one case: medians over the rounds. "Added" is above the first variant.
type Row struct {
	Case
	Variant    string  `json:"variant"`
	CPU        float64 `json:"added_cpu_us"`      // a request, all threads
	Main       float64 `json:"added_main_cpu_us"` // a request, of it Envoy's main thread
	Throughput float64 `json:"throughput_ratio"`  // ÷ the first variant's
	P50        float64 `json:"p50_us"`
	Added      float64 `json:"added_p50_us"`
	Longest    float64 `json:"longest_ms"`
	Resident   int64   `json:"resident_bytes"` // of the Envoy, afterwards
}

// Run measures, and prints a row for each case and variant as it is done. If it is interrupted, the error comes with the
// rows of the cases that are whole.
func Run(ctx context.Context, o Options, w io.Writer) (rows []Row, err error) {
	servers, err := serve(o.Endpoints)
	if err != nil {
		return nil, err
	}
	defer servers.close()
	var gateways []*gateway.Gateway
	for _, v := range o.Variants {
		g, err := start(ctx, o, v, servers.addresses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		defer g.Close()
		gateways = append(gateways, g)
	}
	fmt.Fprintf(w, "%d endpoints, %d workers, %d rounds of %s, medians; CPU in µs a request above %s; latency of requests, times in µs\n",
		o.Endpoints, o.Workers, o.Rounds, o.Span, o.Variants[0].Name)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tvariant\tCPU\tof it main\tthroughput ÷\tP50\tadded\tlongest ms\tMB\t")
	for i, c := range o.Cases {
		all := make([][]Sample, len(gateways))
		for round := range o.Rounds {
			for k := range gateways {
				at := (k + round) % len(gateways) // nobody is always first
				s, err := measure(ctx, gateways[at], c, o.Span, uint64(i*1000+round)<<8|uint64(at))
				if err != nil {
					return rows, fmt.Errorf("%s, %s: %w", c, o.Variants[at].Name, err)
				}
				all[at] = append(all[at], s)
			}
		}
		for k, v := range o.Variants {
			r := medians(all[0], all[k])
			r.Case, r.Variant, r.Resident = c, v.Name, resident(gateways[k].Pid())
			rows = append(rows, r)
			fmt.Fprintf(t, "%s\t%s\t%+.0f\t%+.1f\t%.2f\t%.0f\t%+.0f\t%.1f\t%d\t\n", c, r.Variant, r.CPU, r.Main, r.Throughput, r.P50, r.Added, r.Longest, r.Resident>>20)
		}
		if err := t.Flush(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// medians are those of one variant's rounds against the base's.
func medians(base, of []Sample) Row {
	by := func(f func(a, b *Sample) float64) float64 {
		var values []float64
		for i := range of {
			values = append(values, f(&base[i], &of[i]))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return Row{
		CPU:        by(func(a, b *Sample) float64 { return b.Total() - a.Total() }),
		Main:       by(func(a, b *Sample) float64 { return b.CPU["main"] - a.CPU["main"] }),
		Throughput: by(func(a, b *Sample) float64 { return a.Seconds / b.Seconds }),
		P50:        by(func(_, b *Sample) float64 { return b.P50 }),
		Added:      by(func(a, b *Sample) float64 { return b.P50 - a.P50 }),
		Longest:    by(func(_, b *Sample) float64 { return b.Longest }),
	}
}

// putGate makes of the module's filter the two of examples/envoy-gateway.
func putGate(doc any) {
	for _, manager := range gateway.Find(doc, "http_filters") {
		filters := manager["http_filters"].([]any)
		typed := filters[0].(map[string]any)["typed_config"].(map[string]any)
		config := typed["config"].(map[string]any)
		delete(config, "allow_on_headers_stop_iteration")
		behind, vm, text := maps.Clone(config), maps.Clone(config["vm_config"].(map[string]any)), maps.Clone(config["configuration"].(map[string]any))
		vm["vm_id"], text["value"] = "gate", `{"role":"gate"}`
		behind["vm_config"], behind["configuration"] = vm, text
		gate := map[string]any{"name": "gate", "typed_config": map[string]any{"@type": typed["@type"], "config": behind}}
		manager["http_filters"] = []any{filters[0], gate, filters[len(filters)-1]}
	}
	for _, listener := range gateway.Find(doc, "per_connection_buffer_limit_bytes") {
		listener["per_connection_buffer_limit_bytes"] = 8 << 20 // of the example's ClientTrafficPolicy
	}
}

// start starts a variant in front of the servers.
func start(ctx context.Context, o Options, v Variant, addresses []string) (*gateway.Gateway, error) {
	plugin := map[string]any{"scrape": map[string]any{"path": ""}, "endpoints": addresses, "response_header": nil}
	maps.Copy(plugin, v.Plugin)
	options := gateway.Options{
		Envoy: o.Envoy, Config: o.Config, Wasm: v.Wasm, Plugin: plugin, Replicas: addresses[:min(3, len(addresses))], Concurrency: o.Workers,
		Edit: func(doc any) {
			for _, manager := range gateway.Find(doc, "http_filters") {
				delete(manager, "access_log")
				if filters := manager["http_filters"].([]any); v.Wasm == "" {
					manager["http_filters"] = filters[len(filters)-1:]
				}
			}
			if v.Gate {
				putGate(doc)
			}
			for _, c := range gateway.Find(doc, "lb_endpoints") {
				c["lb_endpoints"] = hosts(addresses)
			}
		},
	}
	if v.Wasm == "" {
		options.Wasm = o.Envoy // any file: no filter names it
	}
	return gateway.Start(ctx, options)
}
