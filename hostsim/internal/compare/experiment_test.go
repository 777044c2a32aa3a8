package compare

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/stats"
)

const armsPage = `# TYPE warmroute_experiment_answers_total counter
warmroute_experiment_answers_total{arm="live",group="0",policy="cache_aware",pool="default"} 3
warmroute_experiment_answers_total{arm="live",group="0",policy="cache_aware",pool="second"} 2
warmroute_experiment_computed_tokens_total{arm="live",group="15",policy="cache_aware",pool="default"} 700
warmroute_experiment_streams_total{arm="experiment",group="4",policy="round_robin",pool="default"} 1
warmroute_experiment_ttft_milliseconds_total{arm="experiment",group="4",policy="round_robin",pool="default"} 81
warmroute_experiment_answers_total{arm="live",group="16",policy="cache_aware",pool="default"} 9
warmroute_in_flight{endpoint="10.0.0.1:80",pool="default"} 2
warmroute_in_flight{endpoint="10.0.0.2:80",pool="default"} 0
warmroute_requests_total{arm="live",pool="default"} 5
`

func TestReadArms(t *testing.T) {
	a, busy := readArms(armsPage)
	if busy != 2 {
		t.Errorf("%v requests in flight, want 2", busy)
	}
	if a.Live.Answers[0] != 5 || a.Live.Computed[15] != 700 || a.Experiment.Streams[4] != 1 || a.Experiment.TTFT[4] != 81 {
		t.Errorf("got %+v", a)
	}
	if n := a.Live.plus(&a.Live).Answers[0]; n != 10 {
		t.Errorf("twice 5 answers are %v", n)
	}
}

// Rounds of which one is three times as slow as the other say exactly what the policies differ by, and arms with other means
// than those do not hold it.
func TestEffects(t *testing.T) {
	pass := func(target string, round int, ttft float64, prompt, cached int) Pass {
		p := Pass{Workload: "w", Target: target, Round: round, Requests: 10, PromptTokens: prompt, CachedTokens: cached}
		p.TTFT = stats.Dist{Mean: ttft}
		return p
	}
	r := &Result{Made: Made{Targets: []string{"other", "live", ExperimentTarget}, Workloads: []string{"w"}, Experiment: .5}, Baseline: "other"}
	for round, slow := range []float64{1, 3} {
		both := pass(ExperimentTarget, round+1, 150, 1000, 500)
		both.Arms = &Arms{}
		for i := range groups {
			n := float64(1 + i%2)
			wave, other := 1+.1*math.Pow(-1, float64(i/2)), 1+.1*math.Pow(-1, float64(i/4))
			both.Arms.Live.Streams[i], both.Arms.Live.TTFT[i] = n, n*60*slow*wave
			both.Arms.Live.Answers[i], both.Arms.Live.Computed[i] = n, n*90*wave
			both.Arms.Experiment.Streams[i], both.Arms.Experiment.TTFT[i] = n, n*100*slow*other
			both.Arms.Experiment.Answers[i], both.Arms.Experiment.Computed[i] = n, n*100*other
		}
		r.Runs = append(r.Runs, pass("other", round+1, 100*slow, 1000, 0), pass("live", round+1, 60*slow, 1000, 500), both)
	}
	r.summarize()
	if len(r.Effects) != 2 {
		t.Fatalf("%d effects, want 2", len(r.Effects))
	}
	ttft, tokens := r.Effects[0], r.Effects[1]
	if math.Abs(ttft.Compared.Change+.4) > 1e-9 || ttft.Compared.Half > 1e-9 || ttft.Compared.Live != 120 {
		t.Errorf("TTFT: %+v; want −0.4 ± 0", ttft.Compared)
	}
	if math.Abs(ttft.Experiment.Change+.4) > 1e-9 || !ttft.Covers {
		t.Errorf("TTFT by the experiment: %+v, covers %v; want −0.4", ttft.Experiment, ttft.Covers)
	}
	// Eight groups of one request and eight of two, of 24, each a tenth off; of half of them both arms alike.
	const variance = 16. / 15 * (8*.01 + 8*.04) / (24 * 24)
	if want := .6 * 2.131 * math.Sqrt(2*variance); math.Abs(ttft.Experiment.Half-want) > 1e-9 {
		t.Errorf("± %v, want %v", ttft.Experiment.Half, want)
	}
	if tokens.Compared.Change != -.5 || math.Abs(tokens.Experiment.Change+.1) > 1e-9 || tokens.Covers {
		t.Errorf("tokens: %+v, %+v, covers %v; want −.5, −.1 and no", tokens.Compared, tokens.Experiment, tokens.Covers)
	}
	// From 50 to 5 %: the small arm's variance times ten, the other's 10 ÷ 19.
	if want := int(math.Ceil(96 * .81 * 2.131 * 2.131 * variance * (10 + 10./19) / .01)); ttft.Answers != 96 || tokens.Needed != want {
		t.Errorf("%d answers, needed %d; want 96, %d", ttft.Answers, tokens.Needed, want)
	}
	if table := r.effectsTable("w"); len(table.Rows) != 2 || !strings.Contains(fmt.Sprint(table.Rows), "-40.0% ± 0.0") {
		t.Errorf("table %v", table.Rows)
	}
	r.Made.WindowS = 5
	r.summarize()
	if e := r.Effects[1]; e.Needed != int(math.Ceil(96*e.Experiment.Half*e.Experiment.Half/.01)) {
		t.Errorf("by windows: needed %d at ± %v by 96", e.Needed, e.Experiment.Half)
	}
	for i := range r.Runs {
		if r.Runs[i].Target == "live" {
			r.Runs[i].CachedTokens = r.Runs[i].PromptTokens
		}
	}
	if r.summarize(); len(r.Effects) != 1 || r.Effects[0].Measure != ttft.Measure {
		t.Errorf("effects %+v; want none on prefill where nothing was computed", r.Effects)
	}
	for i, arm := range []*Arm{&r.Runs[2].Arms.Live, &r.Runs[2].Arms.Experiment} {
		*arm = Arm{}
		arm.Streams[i], arm.TTFT[i], arm.Answers[i], arm.Computed[i] = 1, 50, 1, 80
	}
	r.Runs[5].Arms = &Arms{}
	for _, r.Made.WindowS = range []float64{0, 5} {
		if r.summarize(); len(r.Effects) != 0 {
			t.Errorf("one group of each arm has effects %+v", r.Effects)
		}
	}
	r.Runs[2].Arms = &Arms{}
	r.summarize()
	if len(r.Effects) != 0 {
		t.Errorf("arms without sessions have effects %+v", r.Effects)
	}
}

func TestExperimentIsChecked(t *testing.T) {
	policy := func(name string) Target { return Target{Name: name, Plugin: map[string]any{"policy": name}} }
	for name, o := range map[string]Options{
		"share":        {Experiment: 1, Targets: []Target{policy("a"), policy("b")}},
		"one":          {Experiment: .5, Targets: []Target{policy("a")}},
		"three":        {Experiment: .5, Targets: []Target{policy("a"), policy("b"), policy("c")}},
		"a gateway":    {Experiment: .5, Targets: []Target{policy("a"), {Name: "b", URL: "http://127.0.0.1:1"}}},
		"window alone": {Window: time.Second, Targets: []Target{policy("a"), policy("b")}},
		"window":       {Experiment: .5, Window: -1, Targets: []Target{policy("a"), policy("b")}},
		"own setting":  {Experiment: .5, Targets: []Target{{Name: "a", Plugin: map[string]any{"policy": "a", "block_bytes": 64}}, policy("b")}},
	} {
		if err := o.withExperiment(); err == nil || !strings.HasPrefix(err.Error(), "experiment: ") {
			t.Errorf("%s: error %v, want one that names the experiment", name, err)
		}
	}
	o := Options{Experiment: .25, Targets: []Target{policy("a"), policy("b")}}
	if err := o.withExperiment(); err != nil || len(o.Targets) != 3 || o.Targets[2].Plugin["policy"] != "b" {
		t.Fatalf("error %v, targets %+v", err, o.Targets)
	}
	if got := fmt.Sprint(o.Targets[2].Plugin["experiment"]); got != "map[policy:a share:0.25 window:0ms]" {
		t.Errorf("experiment %s", got)
	}
}
