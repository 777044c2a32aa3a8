// Package cost measures what the module costs the users of an Envoy: CPU by thread, throughput, latency and memory, beside a
// plain Envoy, a second plain one as the control, modules that do nothing or little, and an external processing server. All
// run at once, in front of the same servers, and take turns; every prompt is new or a conversation's next turn, and answers
// have usage.
package cost

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// Case is what the client sends.
type Case struct {
	Bytes       int     `json:"body_bytes"`
	Connections int     `json:"connections"` // of the client
	Rate        float64 `json:"open_rps"`    // requests a second, open loop; 0: closed
	Turns       int     `json:"turns"`       // of a conversation; 1: every prompt is new
	Events      int     `json:"events"`      // of an answer that is streamed, one a token; 0: it comes at once, as JSON
}

func (c Case) String() string {
	s := fmt.Sprintf("%d KB, %d conn", c.Bytes>>10, c.Connections)
	if c.Rate > 0 {
		s = fmt.Sprintf("%d KB, open %.0f/s", c.Bytes>>10, c.Rate)
	}
	if c.Turns > 1 {
		s += fmt.Sprintf(", %d turns", c.Turns)
	}
	if c.Events > 0 {
		s += fmt.Sprintf(", %d events", c.Events)
	}
	return s
}

// Options say how to measure.
type Options struct {
	Envoy, Config string
	Pin           bool          // with one worker, the Envoys share the last processor, client and servers have the others
	Rounds        int           // of which medians are shown
	Span          time.Duration // of one measurement
}

// Part is a table's part with Envoys of its own.
type Part struct {
	Setting
	Variants []Variant // the first is what the others are compared with
	Cases    []Case
}

// Sample is what one measurement showed, for a request.
type Sample struct {
	CPU     map[string]float64 // µs by kind of thread: "worker", "main", "other"; "beside": an external processing server's
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
	Setting
	Variant    string  `json:"variant"`
	CPU        float64 `json:"added_cpu_us"` // a request, all threads of all processes
	Worker     float64 `json:"added_worker_cpu_us"`
	Main       float64 `json:"added_main_cpu_us"`  // of it Envoy's main thread
	Other      float64 `json:"added_other_cpu_us"` // of it Envoy's other threads, and an external processing server
	Throughput float64 `json:"throughput_ratio"`   // ÷ the first variant's
	P50        float64 `json:"p50_us"`
	Added      float64 `json:"added_p50_us"`
	Longest    float64 `json:"longest_ms"`
	Resident   int64   `json:"resident_bytes"` // of all processes, afterwards
}

// Run measures, and prints a row for each case and variant as it is done. If it is interrupted, the error comes with the
// rows of the cases that are whole.
func Run(ctx context.Context, o Options, parts []Part, w io.Writer) (rows []Row, err error) {
	for i, p := range parts {
		of, err := p.run(ctx, o, uint64(i), w)
		if rows = append(rows, of...); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

func (p *Part) run(ctx context.Context, o Options, seed uint64, w io.Writer) (rows []Row, err error) {
	servers, err := serve(p.Endpoints)
	if err != nil {
		return nil, err
	}
	defer servers.close()
	last := -1
	if o.Pin && p.Workers == 1 {
		var back func()
		if last, back, err = apart(); err != nil {
			return nil, err
		}
		defer back()
	}
	var targets []*target
	for _, v := range p.Variants {
		t, err := start(ctx, o, p.Setting, v, servers.addresses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		defer t.close()
		targets = append(targets, t)
		if last >= 0 {
			if err := t.bind(last); err != nil {
				return nil, err
			}
		}
		if err := t.warmUp(ctx, p.Cases[0], seed); err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
	}
	fmt.Fprintf(w, "%s, %d rounds of %s, medians; CPU in µs a request above %s; latency of requests, times in µs\n", p.Setting, o.Rounds, o.Span, p.Variants[0].Name)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "case\tvariant\tCPU\tworker\tmain\tother\tthroughput ÷\tP50\tadded\tlongest ms\tMB\t")
	for i, c := range p.Cases {
		all := make([][]Sample, len(targets))
		for round := range o.Rounds {
			for k := range targets {
				at := (k + round) % len(targets) // nobody is always first
				s, err := measure(ctx, targets[at], c, o.Span, seed<<32|uint64(i*1000+round)<<8|uint64(at))
				if err != nil {
					return rows, fmt.Errorf("%s, %s: %w", c, p.Variants[at].Name, err)
				}
				all[at] = append(all[at], s)
			}
		}
		for k, v := range p.Variants {
			r := medians(all[0], all[k])
			r.Case, r.Setting, r.Variant, r.Resident = c, p.Setting, v.Name, targets[k].resident()
			rows = append(rows, r)
			fmt.Fprintf(t, "%s\t%s\t%+.0f\t%+.0f\t%+.1f\t%+.1f\t%.2f\t%.0f\t%+.0f\t%.1f\t%d\t\n", c, r.Variant, r.CPU, r.Worker, r.Main, r.Other, r.Throughput, r.P50, r.Added,
				r.Longest, r.Resident>>20)
		}
		if err := t.Flush(); err != nil {
			return rows, err
		}
	}
	return rows, nil
}

// warmUp sends requests that do not count, some for each endpoint: the module gives an endpoint its metrics at its first one, once
// and for all, which takes 30 µs.
func (t *target) warmUp(ctx context.Context, c Case, seed uint64) error {
	const each, span = 4, 100 * time.Millisecond
	for sent := 0.0; sent < float64(each*t.setting.Endpoints*max(t.setting.Pools, 1)); seed++ {
		s, err := measure(ctx, t, c, span, seed<<32|0xffff<<8)
		if err != nil {
			return err
		}
		sent += max(span.Seconds()/s.Seconds, 1)
	}
	return nil
}

// medians are those of one variant's rounds against the base's.
func medians(base, of []Sample) Row {
	by := func(f func(a, b *Sample) float64) float64 {
		var values []float64
		for i := range of {
			values = append(values, f(&base[i], &of[i]))
		}
		slices.Sort(values)
		return (values[(len(values)-1)/2] + values[len(values)/2]) / 2
	}
	return Row{
		CPU:        by(func(a, b *Sample) float64 { return b.Total() - a.Total() }),
		Worker:     by(func(a, b *Sample) float64 { return b.CPU["worker"] - a.CPU["worker"] }),
		Main:       by(func(a, b *Sample) float64 { return b.CPU["main"] - a.CPU["main"] }),
		Other:      by(func(a, b *Sample) float64 { return b.CPU["other"] + b.CPU["beside"] - a.CPU["other"] }),
		Throughput: by(func(a, b *Sample) float64 { return a.Seconds / b.Seconds }),
		P50:        by(func(_, b *Sample) float64 { return b.P50 }),
		Added:      by(func(a, b *Sample) float64 { return b.P50 - a.P50 }),
		Longest:    by(func(_, b *Sample) float64 { return b.Longest }),
	}
}
