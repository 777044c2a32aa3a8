package replay

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/vllm"
	"warmroute/plugin/config"
)

const module = "../../../build/warmroute.wasm"

// policies are all of the module's.
var policies = func() (all []string) {
	for p := range config.Policies {
		all = append(all, p.String())
	}
	return all
}()

// small is a trace of our own: conversations of up to three turns over shared system prompts.
func small(t *testing.T) *trace.Trace {
	t.Helper()
	tr := &trace.Trace{BlockSize: 64}
	for i := range 300 {
		session, turn := i%100, i/100
		blocks := trace.Blocks{{First: uint32(session % 5 * 8), N: 8}, {First: uint32(1000 + session*40), N: uint32(2 + 5*turn)}}
		after := -1
		if turn > 0 {
			after = i - 100
		}
		tr.Requests = append(tr.Requests, trace.Request{
			At: int64(i) * 40e6, Session: session, After: after, Think: 1e9,
			Blocks: blocks, InputTokens: blocks.Len() * 64, OutputTokens: 20 + i%7,
		})
	}
	tr.Sessions, tr.IDs = 100, 6000
	return tr
}

func replayOptions(t *testing.T, policy string) Options {
	t.Helper()
	profile, err := vllm.LoadProfile("l4-8b-fp8")
	if err != nil {
		t.Fatal(err)
	}
	tr := small(t)
	fitted, err := Fit(profile, tr, 60_000)
	if err != nil {
		t.Fatal(err)
	}
	return Options{
		Trace: tr, Policy: policy, Replicas: 4, Workers: 2, Gateways: 2, Profile: fitted, Speed: 1, Seed: 3,
		Engine: func(configuration []byte, workers int) (router.Engine, error) {
			return ours.NewNative(configuration, workers)
		},
	}
}

func result(t *testing.T, o Options) *Result {
	t.Helper()
	r, err := Run(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The module and the native code give the same results to the last digit, and so does a second run.
func TestRunIsTheSameEachTimeAndOnBothEngines(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	for _, policy := range policies {
		for _, closed := range []bool{false, true} {
			o := replayOptions(t, policy)
			o.Closed, o.Detail = closed, true
			if closed {
				o.Scrape, o.Concurrency = 300*time.Millisecond, 30
			}
			want := result(t, o)
			if again := result(t, o); !reflect.DeepEqual(again, want) {
				t.Errorf("%s: a second run differs: %+v, %+v", policy, again, want)
			}
			o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
				return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
			}
			if got := result(t, o); !reflect.DeepEqual(got, want) {
				t.Errorf("%s, closed %v:\n wasm   %+v\n native %+v", policy, closed, got, want)
			}
		}
	}
}

// Metrics that are read change what is decided, and reading them is what does it: not for a policy that does not go by load.
func TestMetricsCount(t *testing.T) {
	for policy, counts := range map[string]bool{"join_shortest_queue": true, "power_of_two": true, "round_robin": false} {
		o := replayOptions(t, policy)
		without := result(t, o)
		o.Scrape = 200 * time.Millisecond
		if with := result(t, o); (with.TTFT != without.TTFT) != counts {
			t.Errorf("%s: %+v with metrics, %+v without", policy, with.TTFT, without.TTFT)
		}
	}
}

// No more sessions are under way than may be, and those that wait come in order.
func TestConcurrency(t *testing.T) {
	o := replayOptions(t, "round_robin")
	o.Closed, o.Concurrency, o.Detail = true, 7, true
	r := result(t, o)
	type session struct{ from, until int64 }
	sessions := map[int]session{}
	for i, s := range r.Served {
		id := o.Trace.Requests[i].Session
		at, ok := sessions[id]
		if !ok {
			at.from = s.Queued
		}
		sessions[id] = session{min(at.from, s.Queued), max(at.until, s.Final)}
	}
	most := 0
	for _, a := range sessions {
		n := 0
		for _, b := range sessions {
			if b.from <= a.from && a.from < b.until {
				n++
			}
		}
		most = max(most, n)
	}
	if most != 7 {
		t.Errorf("%d sessions at once, want 7", most)
	}
	o.Closed = false
	if _, err := Run(t.Context(), o); err == nil {
		t.Error("a limit in an open loop: no error")
	}
}

// What routing by prefix is for, and what no routing can exceed.
func TestPrefixHashHitsMore(t *testing.T) {
	random, hash := result(t, replayOptions(t, "random")), result(t, replayOptions(t, "prefix_hash"))
	if hash.TokenHitRatio < 1.1*random.TokenHitRatio {
		t.Errorf("hit ratio: prefix_hash %.3f, random %.3f; want a tenth more", hash.TokenHitRatio, random.TokenHitRatio)
	}
	if hash.TokenHitRatio > hash.InfiniteCache {
		t.Errorf("hit ratio %.3f exceeds that of an infinite cache, %.3f", hash.TokenHitRatio, hash.InfiniteCache)
	}
}

// With one replica and memory for everything the fleet hits what a single infinite cache does.
func TestOneLargeReplicaIsTheInfiniteCache(t *testing.T) {
	o := replayOptions(t, "round_robin")
	var err error
	if o.Profile, err = Fit(o.Profile, o.Trace, 10_000_000); err != nil {
		t.Fatal(err)
	}
	o.Replicas, o.Speed = 1, 0.05 // slow enough for each answer to be there before the next request
	r := result(t, o)
	if diff := r.InfiniteCache - r.TokenHitRatio; diff < 0 || diff > 0.01 {
		t.Errorf("hit ratio %.4f, infinite cache %.4f", r.TokenHitRatio, r.InfiniteCache)
	}
}

// The contract of the JSON.
func TestResultFields(t *testing.T) {
	text, err := json.Marshal(result(t, replayOptions(t, "random")))
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"policy", "replicas", "workers", "gateways", "seed", "requests", "token_hit_ratio",
		"infinite_cache_hit_ratio", "ttft_ms", "tpot_ms", "e2e_ms", "imbalance", "goodput_rps", "reasons"} {
		if _, ok := got[name]; !ok {
			t.Errorf("the result lacks %s", name)
		}
	}
	if got["requests"] != 300.0 || got["reasons"].(map[string]any)["random"] != 300.0 {
		t.Errorf("got %v requests and reasons %v; want 300 by random", got["requests"], got["reasons"])
	}
}

func TestRunRefuses(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"replicas": func(o *Options) { o.Replicas = 0 },
		"speed":    func(o *Options) { o.Speed = 0 },
		"policy":   func(o *Options) { o.Policy = "best" },
	} {
		o := replayOptions(t, "random")
		change(&o)
		if _, err := Run(t.Context(), o); err == nil {
			t.Errorf("a bad %s: no error", name)
		}
	}
}

// Replicas that share cores are slower the more of them work, and never faster than alone; one of them alone is as fast.
func TestSharedCores(t *testing.T) {
	with := func(cores float64, replicas int) *Result {
		o := replayOptions(t, "round_robin")
		o.Cores, o.Replicas = cores, replicas
		return result(t, o)
	}
	if alone, one := with(0, 1), with(1, 1); alone.TTFT != one.TTFT || alone.Busy != one.Busy {
		t.Errorf("one replica on one core: %+v, want %+v", one.TTFT, alone.TTFT)
	}
	own, four, one := with(0, 4), with(4, 4), with(1, 4)
	if own.TTFT != four.TTFT {
		t.Errorf("four replicas on four cores: %+v, want %+v", four.TTFT, own.TTFT)
	}
	if ratio := one.TTFT.Mean / own.TTFT.Mean; ratio < 1.5 {
		t.Errorf("four replicas on one core: TTFT × %.2f", ratio)
	}
	if again := with(1, 4); again.TTFT != one.TTFT {
		t.Errorf("a second run: %+v, want %+v", again.TTFT, one.TTFT)
	}
	o := replayOptions(t, "round_robin")
	o.Cores = -1
	if _, err := Run(t.Context(), o); err == nil || !strings.Contains(err.Error(), "cores") {
		t.Errorf("-1 cores: %v", err)
	}
}

// shared are gateways that share news.
func shared(o Options, gateways int, s Sync) Options {
	o.Gateways, o.Sync = gateways, s
	o.Spread = 100 * time.Millisecond
	return o
}

// Gateways that share news hit as one does; one that starts anew, lost messages and a partition cost little, and change
// nothing but hits. A run is the same each time.
func TestGatewaysShare(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	one := result(t, shared(o, 1, Sync{}))
	apart := result(t, shared(o, 4, Sync{}))
	usual := Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}
	together := result(t, shared(o, 4, usual))
	t.Logf("hits: one %.4f, four apart %.4f, together %.4f; news %+v", one.TokenHitRatio, apart.TokenHitRatio, together.TokenHitRatio, together.Traffic)
	if together.TokenHitRatio < 0.97*one.TokenHitRatio || together.TokenHitRatio <= apart.TokenHitRatio {
		t.Errorf("hits: one %.4f, four apart %.4f, together %.4f", one.TokenHitRatio, apart.TokenHitRatio, together.TokenHitRatio)
	}
	if again := result(t, shared(o, 4, usual)); !reflect.DeepEqual(together, again) {
		t.Errorf("two runs differ: %+v, %+v", together, again)
	}
	rough := usual
	rough.Loss, rough.Delay = 0.1, 20*time.Millisecond
	rough.Partitions = []Span{{3 * time.Second, 6 * time.Second}}
	rough.Restarts = []Restart{{1, 5 * time.Second}, {2, 8 * time.Second}}
	worn := result(t, shared(o, 4, rough))
	t.Logf("with losses, a partition and restarts: %.4f, news %+v", worn.TokenHitRatio, worn.Traffic)
	if worn.Requests != one.Requests || worn.Traffic.Lost == 0 || worn.TokenHitRatio < apart.TokenHitRatio {
		t.Errorf("%d requests, %.4f hits (apart %.4f), news %+v", worn.Requests, worn.TokenHitRatio, apart.TokenHitRatio, worn.Traffic)
	}
}

// An only gateway that starts anew has lost what it knew, and all requests are answered.
func TestOnlyGatewayRestarts(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	steady := result(t, shared(o, 1, Sync{}))
	restarted := result(t, shared(o, 1, Sync{Restarts: []Restart{{0, 3 * time.Second}, {0, 6 * time.Second}}}))
	if restarted.Reasons["match"] >= steady.Reasons["match"] || restarted.Requests != steady.Requests || restarted.Traffic != nil {
		t.Errorf("decisions: %v, with two restarts %v; %d and %d requests; %+v", steady.Reasons, restarted.Reasons, steady.Requests, restarted.Requests, restarted.Traffic)
	}
}

// A gateway that starts anew beside another one knows what that one knows, on both engines.
func TestRestartedGatewayAsks(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	usual := Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}
	steady := result(t, shared(o, 2, usual))
	usual.Restarts = []Restart{{0, 5 * time.Second}, {1, 10 * time.Second}}
	restarted := result(t, shared(o, 2, usual))
	if restarted.TokenHitRatio < 0.97*steady.TokenHitRatio {
		t.Errorf("hits %.4f, with two restarts %.4f", steady.TokenHitRatio, restarted.TokenHitRatio)
	}
	loaded, err := ours.Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		return ours.StartWasm(t.Context(), loaded, configuration, workers, nil)
	}
	usual.Restarts = usual.Restarts[:1]
	if wasm := result(t, shared(o, 2, usual)); wasm.TokenHitRatio < 0.97*steady.TokenHitRatio {
		t.Errorf("hits %.4f, the module's with a restart %.4f", steady.TokenHitRatio, wasm.TokenHitRatio)
	}
}
