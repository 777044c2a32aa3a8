package replay

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
)

// rankedOptions have two servers of two ranks.
func rankedOptions(t *testing.T, policy string) Options {
	t.Helper()
	o := replayOptions(t, policy)
	o.Ranks, o.Scrape = 2, 300*time.Millisecond
	return o
}

// ranksThrough are rankedOptions of one gateway, or of two that share news at an interval.
func ranksThrough(t *testing.T, sync time.Duration) Options {
	t.Helper()
	o := rankedOptions(t, "cache_aware")
	o.Gateways, o.Detail = 1, true
	if sync > 0 {
		o.Gateways, o.Sync = 2, Sync{Interval: sync, Delay: time.Millisecond}
	}
	return o
}

// wasmDoes compares with what the native code did.
func wasmDoes(t *testing.T, loaded *host.Module, o Options, native *Result) {
	t.Helper()
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
	}
	if got := result(t, o); !reflect.DeepEqual(got, native) {
		t.Errorf("sync %v:\n wasm   %+v\n native %+v", o.Sync.Interval, got, native)
	}
}

// Requests that name their rank find more than those whose server chooses by load; the module does as the native code, also where gateways
// share news.
func TestRanks(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	for _, sync := range []time.Duration{0, 50 * time.Millisecond} {
		o := ranksThrough(t, sync)
		o.Plugin = map[string]any{"data_parallel_ranks": 2}
		named := result(t, o)
		for i := range named.Served {
			if d := named.Served[i].Decision; !strings.Contains(d, ":8000#") {
				t.Fatalf("decided as %s, which names no rank", d)
			}
		}
		wasmDoes(t, loaded, o, named)
		o = rankedOptions(t, "cache_aware")
		o.Gateways, o.Plugin = 1, map[string]any{"data_parallel_ranks": 1}
		if chosen := result(t, o); named.TokenHitRatio < 1.07*chosen.TokenHitRatio || chosen.TokenHitRatio == 0 {
			t.Errorf("sync %v: %.3f of the tokens found where requests name ranks, %.3f where servers choose", sync, named.TokenHitRatio, chosen.TokenHitRatio)
		}
	}
}

// Without the setting the module learns from the servers' pages which ranks there are, as the native code does, and soon finds as much.
func TestRanksAreLearned(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	for _, sync := range []time.Duration{0, 50 * time.Millisecond} {
		o := ranksThrough(t, sync)
		learned := result(t, o)
		named := 0
		for i := range learned.Served {
			if strings.Contains(learned.Served[i].Decision, ":8000#") {
				named++
			}
		}
		if named < len(learned.Served)*9/10 {
			t.Errorf("sync %v: %d of %d requests named a rank", sync, named, len(learned.Served))
		}
		wasmDoes(t, loaded, o, learned)
		o.Plugin = map[string]any{"data_parallel_ranks": 2}
		if told := result(t, o); learned.TokenHitRatio < .95*told.TokenHitRatio {
			t.Errorf("sync %v: %.3f of the tokens found, %.3f with data_parallel_ranks", sync, learned.TokenHitRatio, told.TokenHitRatio)
		}
	}
}

// What goes unsteered, or by a policy that knows no ranks, is spread over them.
func TestServersChooseRanks(t *testing.T) {
	o := rankedOptions(t, "round_robin")
	o.Gateways, o.Detail, o.Plugin = 1, true, map[string]any{"data_parallel_ranks": 1}
	at := map[int]int{}
	r := result(t, o)
	for i := range r.Served {
		at[r.Served[i].Replica]++
	}
	for replica := range 4 {
		if n := at[replica]; n < len(r.Served)/8 {
			t.Errorf("replica %d had %d of %d requests", replica, n, len(r.Served))
		}
	}
}

func TestRanksThatDoNotGo(t *testing.T) {
	for want, change := range map[string]func(o *Options){
		"not a number of servers": func(o *Options) { o.Replicas = 5 },
		"ranks go with no zones":  func(o *Options) { o.Zones = Zones{Count: 2} },
	} {
		o := rankedOptions(t, "cache_aware")
		change(&o)
		if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
