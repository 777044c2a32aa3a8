package replay

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
)

// Whatever a run is like, the module and the native code do the same at each moment: they decide alike, tell other workers and gateways the
// same to the last bit, and have learned the same.
func TestEnginesAreAlike(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	for name, o := range unlikeRuns(t) {
		t.Run(name, func(t *testing.T) {
			native, want := witnessRun(t, nil, o)
			wasm, got := witnessRun(t, loaded, o)
			for i := range min(len(want), len(got)) {
				if got[i] != want[i] {
					t.Fatalf("of %d and %d notes number %d is the first that differs:\n wasm   %s\n native %s", len(got), len(want), i, got[i], want[i])
				}
			}
			if o.Workers > 1 && !strings.Contains(strings.Join(want, " "), ".speeds = ") {
				t.Error("no worker has told what it learned")
			}
			if len(got) != len(want) || !reflect.DeepEqual(wasm, native) {
				t.Errorf("%d notes of the module, %d of the native code; results %+v, %+v", len(got), len(want), wasm.TTFT, native.TTFT)
			}
		})
	}
}

// unlikeRuns are runs of which each has something else that engines could do otherwise.
func unlikeRuns(t *testing.T) map[string]Options {
	t.Helper()
	runs := map[string]Options{}
	add := func(name string, change func(o *Options)) {
		o := replayOptions(t, "cache_aware")
		change(&o)
		runs[name] = o
	}
	news := Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}
	for workers := 1; workers <= 4; workers++ {
		for _, gateways := range []int{1, 2, 4} {
			add(fmt.Sprintf("%d workers, %d gateways", workers, gateways), func(o *Options) {
				o.Workers, o.Gateways, o.Sync, o.Scrape = workers, gateways, news, 300*time.Millisecond
			})
			add(fmt.Sprintf("%d workers, %d gateways without news", workers, gateways), func(o *Options) {
				o.Workers, o.Gateways, o.Scrape = workers, gateways, 500*time.Millisecond
			})
		}
	}
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 25 * time.Millisecond, 200 * time.Millisecond} {
		add(fmt.Sprintf("delay of %v", delay), func(o *Options) {
			o.Workers, o.Gateways, o.Sync, o.Scrape = 3, 3, news, 300*time.Millisecond
			o.Sync.Delay = delay
		})
	}
	add("rough", func(o *Options) {
		o.Workers, o.Gateways, o.Sync, o.Scrape = 2, 4, news, 300*time.Millisecond
		o.Sync.Loss, o.Sync.Delay = .1, 20*time.Millisecond
		o.Sync.Partitions = []Span{{3 * time.Second, 6 * time.Second}}
		o.Sync.Restarts = []Restart{{1, 5 * time.Second}, {2, 8 * time.Second}}
	})
	add("restarts without news", func(o *Options) {
		o.Workers, o.Gateways, o.Scrape = 2, 2, 300*time.Millisecond
		o.Sync.Restarts = []Restart{{0, 5 * time.Second}, {1, 8 * time.Second}}
	})
	for _, gateways := range []int{1, 3} {
		sync := news
		if gateways == 1 {
			sync = Sync{}
		}
		add(fmt.Sprintf("ranks %d", gateways), func(o *Options) {
			o.Ranks, o.Gateways, o.Sync, o.Scrape = 2, gateways, sync, 300*time.Millisecond
		})
		add(fmt.Sprintf("ranks told %d", gateways), func(o *Options) {
			o.Ranks, o.Gateways, o.Sync, o.Plugin = 2, gateways, sync, map[string]any{"data_parallel_ranks": 2}
		})
		add(fmt.Sprintf("unlike cards %d", gateways), func(o *Options) {
			fast, err := vllm.LoadProfile("h100-8b")
			if err != nil {
				t.Fatal(err)
			}
			if fast, err = Fit(fast, o.Trace, 60_000); err != nil {
				t.Fatal(err)
			}
			o.Second, o.Gateways, o.Sync, o.Scrape = &fast, gateways, sync, 300*time.Millisecond
		})
		add(fmt.Sprintf("one slower %d", gateways), func(o *Options) {
			o.Slower, o.Gateways, o.Sync, o.Scrape = []float64{2.5, 1, 1.2}, gateways, sync, 300*time.Millisecond
		})
		add(fmt.Sprintf("whole %d", gateways), func(o *Options) {
			o.Slower, o.Whole, o.Gateways, o.Sync = []float64{2.5, 1, 1.2}, true, gateways, sync
		})
		add(fmt.Sprintf("models %d", gateways), func(o *Options) {
			o.Models = Models{Names: []string{"a", "b"}, Adapters: 4}
			o.Profile.MaxLoRAs, o.Profile.LoRAActivate = 2, 1e9
			o.Gateways, o.Sync, o.Scrape, o.Plugin = gateways, sync, time.Second, map[string]any{"adapter_load": "1s"}
		})
		add(fmt.Sprintf("join %d", gateways), func(o *Options) {
			o.Gateways, o.Sync, o.Scrape = gateways, sync, time.Second
			last := o.Trace.Requests[len(o.Trace.Requests)-1].At
			o.Join = Join{Replicas: 1, At: SettleIn + time.Duration(last/2), For: time.Hour}
			o.Plugin = map[string]any{"slow_start": "10s"}
		})
		add(fmt.Sprintf("changes %d", gateways), func(o *Options) {
			o.Gateways, o.Sync, o.Scrape = gateways, sync, time.Second
			for i := range o.Replicas {
				o.Changes = append(o.Changes, Change{Replica: i, At: time.Duration(2*i+3) * time.Second}, Change{Replica: i, At: time.Duration(2*i+5) * time.Second, Joins: true})
			}
		})
		add(fmt.Sprintf("zones %d", gateways), func(o *Options) {
			o.Zones, o.Gateways, o.Sync = Zones{Count: 2, Delay: time.Millisecond}, max(gateways, 2), sync
		})
		add(fmt.Sprintf("closed %d", gateways), func(o *Options) {
			o.Closed, o.Concurrency, o.Gateways, o.Sync, o.Scrape = true, 30, gateways, sync, 300*time.Millisecond
		})
		add(fmt.Sprintf("one processor %d", gateways), func(o *Options) {
			*o = questions(t, "cache_aware", 1)
			o.Trace, o.Gateways, o.Sync = beginning(o.Trace, 300), gateways, sync
		})
		add(fmt.Sprintf("shadow %d", gateways), func(o *Options) {
			o.Gateways, o.Sync, o.Plugin = gateways, sync, map[string]any{"shadow": "expected_ttft"}
		})
		add(fmt.Sprintf("expected_ttft %d", gateways), func(o *Options) { o.Policy, o.Gateways, o.Sync = "expected_ttft", gateways, sync })
	}
	add("many gateways", func(o *Options) {
		o.Trace, o.Gateways, o.Workers, o.Sync = beginning(o.Trace, 100), 33, 1, news // more than each asks
	})
	add("a broken replica", func(o *Options) {
		o.Gateways, o.Sync, o.Scrape = 2, news, 300*time.Millisecond
		o.Hole = Hole{Answer: Instant{500, "application/json", `{"error":{}}`}, Replica: 1, From: 2 * time.Second, Share: .7, Bad: .2, Limit: 20}
	})
	for _, policy := range policies {
		add(policy, func(o *Options) {
			o.Policy, o.Workers, o.Sync, o.NameSessions = policy, 2, news, true
		})
	}
	add("experiment", func(o *Options) {
		o.Plugin = map[string]any{"experiment": map[string]any{"share": .5, "policy": "round_robin", "window": "2s"}}
		o.Sync, o.Workers = news, 3
	})
	add("fast", func(o *Options) { o.Speed, o.Sync, o.Workers, o.Scrape = 4, news, 3, 300*time.Millisecond })
	add("slow", func(o *Options) { o.Speed, o.Sync, o.Workers, o.Scrape = .1, news, 3, 300*time.Millisecond })
	for _, gateways := range []int{1, 3} {
		o := crowd(t, 80_000)
		o.Trace = beginning(o.Trace, 500)
		if o.Gateways = gateways; gateways > 1 {
			o.Sync = news
		}
		runs[fmt.Sprintf("holds %d", gateways)] = o
	}
	return runs
}

// beginning is a trace's first requests.
func beginning(tr *trace.Trace, requests int) *trace.Trace {
	first := *tr
	first.Requests = tr.Requests[:requests]
	return &first
}
