package cost

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"sync"
	"time"
)

// Idle is what an Envoy takes without requests.
type Idle struct {
	Variant string  `json:"variant"`
	Core    float64 `json:"core_percent"` // all threads
	Main    float64 `json:"main_percent"` // of it the main thread
	Pages   float64 `json:"pages_per_s"`  // of metrics that are read
}

// idleAfter is how long an Envoy is left alone before it counts as idle for long.
const idleAfter = 75 * time.Second

// Rest leaves Envoys alone, and prints what they take for as long as span. It returns no rows if it is interrupted.
func Rest(ctx context.Context, o Options, of Setting, variants []Variant, span time.Duration, w io.Writer) (rows []Idle, err error) {
	servers, err := serve(of.Endpoints)
	if err != nil {
		return nil, err
	}
	defer servers.close()
	var targets []*target
	for _, v := range variants {
		t, err := start(ctx, o, of, v, servers.addresses)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", v.Name, err)
		}
		defer t.close()
		targets = append(targets, t)
	}
	wait := func(d time.Duration) error {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(d):
			return nil
		}
	}
	if err := wait(idleAfter); err != nil {
		return nil, err
	}
	before, pages, began := make([]map[string]int64, len(targets)), servers.pages.Load(), time.Now()
	for i, t := range targets {
		if before[i], err = t.cpu(); err != nil {
			return nil, err
		}
	}
	if err := wait(span); err != nil {
		return nil, err
	}
	fmt.Fprintf(w, "\nidle, %s, pages of metrics of %d KB: %% of a core, of it the main thread's, pages read a second by all\n", of, len(metricsPage())>>10)
	for i, t := range targets {
		after, err := t.cpu()
		if err != nil {
			return nil, err
		}
		elapsed := float64(time.Since(began))
		r := Idle{Variant: variants[i].Name, Pages: float64(servers.pages.Load()-pages) / elapsed * 1e9}
		for kind, ns := range after {
			share := float64(ns-before[i][kind]) / elapsed * 100
			if r.Core += share; kind == "main" {
				r.Main = share
			}
		}
		rows = append(rows, r)
		fmt.Fprintf(w, "%20s %6.3f %6.3f %6.1f\n", r.Variant, r.Core, r.Main, r.Pages)
	}
	return rows, nil
}

// metricsPage is as long as a page of vLLM 0.32: nearly all of it is buckets.
var metricsPage = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 51_000; i++ {
		name := "vllm:request_time_" + strconv.Itoa(i/20) + "_seconds"
		if i%20 == 0 {
			b.WriteString("# HELP " + name + " Histogram of the time that a request spends somewhere, in seconds.\n# TYPE " + name + " histogram\n")
		}
		b.WriteString(name + "_bucket{engine=\"0\",le=\"" + strconv.Itoa(i%20) + ".0\",model_name=\"m\"} 14.0\n")
	}
	b.WriteString("vllm:num_requests_running{engine=\"0\",model_name=\"m\"} 0.0\nvllm:num_requests_waiting{engine=\"0\",model_name=\"m\"} 0.0\n" +
		"vllm:kv_cache_usage_perc{engine=\"0\",model_name=\"m\"} 0.0\nvllm:prefix_cache_queries_total{engine=\"0\",model_name=\"m\"} 0.0\n")
	return b.Bytes()
})
