package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/console"
	"warmroute/hostsim/internal/input"
)

const smallTrace = "../testdata/traces/mooncake.jsonl" // six requests

// replayed is `hostsim replay`, of the small trace unless args name another.
func replayed(args ...string) (status int, stdout, stderr string) {
	if !slices.Contains(args, "--trace") {
		args = append([]string{"--trace", smallTrace}, args...)
	}
	return hostsim("", append([]string{"replay", "--wasm", builtModule, "--replicas", "3"}, args...)...)
}

// distribution and outcome are the contract of the JSON, written down once more.
type distribution struct {
	Mean, P50, P95, P99 *float64
}

type outcome struct {
	Policy   string
	Replicas int
	Workers  int
	Gateways int
	Seed     *uint64
	Requests int
	Rejected *int
	Hit      *float64       `json:"token_hit_ratio"`
	Infinite *float64       `json:"infinite_cache_hit_ratio"`
	TTFT     distribution   `json:"ttft_ms"`
	TPOT     distribution   `json:"tpot_ms"`
	Latency  distribution   `json:"e2e_ms"`
	Balance  *float64       `json:"imbalance"`
	Goodput  *float64       `json:"goodput_rps"`
	Duration *float64       `json:"duration_s"`
	Answers  *float64       `json:"throughput_rps"`
	Reasons  map[string]int `json:"reasons"`
	Sync     float64        `json:"sync_ms"` // of several gateways
	News     map[string]any `json:"news"`
}

// readOutcomes refuses members that the contract has not.
func readOutcomes(t *testing.T, file string) []outcome {
	t.Helper()
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	var all struct {
		Schema  string
		Made    console.Versions `json:"hostsim"`
		Command []string
		Runs    []outcome
		Verdict string
		Input   *input.Notes
		Bounds  *struct {
			Infinite *float64 `json:"infinite_cache"`
			Pooled   *float64 `json:"pooled_bound"`
			Recent   *float64 `json:"pooled_lru"`
		}
	}
	d := json.NewDecoder(text)
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	if all.Input == nil {
		t.Errorf("%s does not say what was read", file)
	}
	if b := all.Bounds; all.Verdict == "" || b == nil || b.Infinite == nil || b.Pooled == nil || b.Recent == nil {
		t.Errorf("%s: verdict %q, bounds %+v", file, all.Verdict, b)
	}
	if all.Schema != "warmroute replay 1" || all.Made.Go == "" || len(all.Command) < 3 || all.Command[0] != "replay" {
		t.Errorf("%s is made by %q %+v %q", file, all.Schema, all.Made, all.Command)
	}
	return all.Runs
}

func TestReplay(t *testing.T) {
	var before string
	for _, engine := range []string{"wasm", "native"} {
		dir := t.TempDir()
		inJSON, inHTML := filepath.Join(dir, "r.json"), filepath.Join(dir, "r.html")
		status, out, errs := replayed("--engine", engine, "--policies", "round_robin,cache_aware", "--gateways", "2", "--seed", "5",
			"--json", inJSON, "--html", inHTML)
		if status != 0 || !strings.Contains(out, "6 requests, 3 replicas (h100-8b") || !strings.Contains(errs, "cache_aware: 6 requests in ") {
			t.Fatalf("%s: status %d, %s%s", engine, status, out, errs)
		}
		if before != "" && out != before {
			t.Errorf("wasm prints\n%s, native\n%s", before, out)
		}
		before = out
		runs := readOutcomes(t, inJSON)
		if len(runs) != 2 || runs[0].Policy != "round_robin" || runs[1].Policy != "cache_aware" {
			t.Fatalf("%s: runs %+v", engine, runs)
		}
		for _, r := range runs {
			checkOutcome(t, &r)
		}
		if *runs[1].Hit <= *runs[0].Hit {
			t.Errorf("%s: cache_aware hits %v, round_robin %v", engine, *runs[1].Hit, *runs[0].Hit)
		}
		page, err := os.ReadFile(inHTML)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"<!doctype html>", "cache_aware", "time to first token, ms", "engine " + engine, "</html>"} {
			if !strings.Contains(string(page), part) {
				t.Errorf("%s: the page lacks %q", engine, part)
			}
		}
	}
}

func checkOutcome(t *testing.T, r *outcome) {
	t.Helper()
	if r.Sync != 50 || r.News["asks"] == 0.0 {
		t.Errorf("%s: gateways that share by default: every %v ms, %v", r.Policy, r.Sync, r.News)
	}
	if r.Replicas != 3 || r.Workers != 2 || r.Gateways != 2 || r.Seed == nil || *r.Seed != 5 || r.Requests != 6 || r.Rejected == nil || *r.Rejected != 0 {
		t.Errorf("%s: of what was asked for: %+v", r.Policy, r)
	}
	for name, value := range map[string]*float64{
		"token_hit_ratio": r.Hit, "infinite_cache_hit_ratio": r.Infinite, "imbalance": r.Balance, "goodput_rps": r.Goodput, "duration_s": r.Duration,
		"ttft_ms.mean": r.TTFT.Mean, "ttft_ms.p50": r.TTFT.P50, "ttft_ms.p95": r.TTFT.P95, "ttft_ms.p99": r.TTFT.P99,
		"tpot_ms.mean": r.TPOT.Mean, "tpot_ms.p50": r.TPOT.P50, "tpot_ms.p95": r.TPOT.P95, "tpot_ms.p99": r.TPOT.P99,
		"e2e_ms.mean": r.Latency.Mean, "e2e_ms.p50": r.Latency.P50, "e2e_ms.p95": r.Latency.P95, "e2e_ms.p99": r.Latency.P99,
	} {
		if value == nil || !(*value >= 0) {
			t.Errorf("%s: %s is missing or negative", r.Policy, name)
		}
	}
	sum := 0
	for _, n := range r.Reasons {
		sum += n
	}
	if sum != 6 {
		t.Errorf("%s: reasons %v add up to %d, want 6", r.Policy, r.Reasons, sum)
	}
	if *r.Hit > *r.Infinite || *r.Balance < 1 || *r.TTFT.Mean > *r.Latency.Mean {
		t.Errorf("%s: hit ratio %v of at most %v, imbalance %v, TTFT %v of %v ms", r.Policy, *r.Hit, *r.Infinite, *r.Balance, *r.TTFT.Mean, *r.Latency.Mean)
	}
}

// A setting of the module reaches it, and a bad one is named.
func TestReplayPlugin(t *testing.T) {
	for _, c := range []struct {
		plugin, want string
		status       int
	}{
		{`{"lru_match": {"capacity": 1}}`, "lru_match", 0},
		{`{"lru_match": {"capacity": 0}}`, "policy lru_match: lru_match.capacity: 0 is below the minimum 1", 1},
		{`[]`, "p.json: ", 1},
	} {
		status, out, errs := replayed("--engine", "native", "--policies", "lru_match", "--plugin", write(t, "p.json", c.plugin))
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("%s: status %d, %s%s", c.plugin, status, out, errs)
		}
	}
}

func TestReplayErrors(t *testing.T) {
	bad := write(t, "bad.jsonl", `{"timestamp": 0, "input_length": 512, "output_length": 2, "hash_ids": [0]}
{"timestamp": 1, "input_length": -1, "output_length": 2, "hash_ids": [0]}
{"timestamp": 2, "input_length": 512, "output_length": 2, "hash_ids": [1]}
`)
	for _, c := range []struct {
		want string
		args []string
	}{
		{`policy best: `, []string{"--policies", "best"}},
		{`"best" is not one of random, round_robin`, []string{"--policies", "round_robin,best"}},
		{"bad.jsonl:2: input_length: ", []string{"--trace", bad}},
		{"nowhere.jsonl: no such file", []string{"--trace", "nowhere.jsonl"}},
		{"nowhere", []string{"--profile", "nowhere"}},
		{"replicas: 1025 is not within 1 to 1024", []string{"--replicas", "1025"}},
		{"speed", []string{"--speed", "0"}},
		{"nowhere.json: no such file", []string{"--plugin", "nowhere.json"}},
		{"--away 3@1s-2s: a replica of 0 to 2 and a span", []string{"--away", "3@1s-2s"}},
		{`--away 0@3s-2s: "2s" is no time after 3s`, []string{"--away", "0@3s-2s"}},
		{"--rollout 2s: two times are needed", []string{"--rollout", "2s"}},
		{"--join, --away and --rollout do not go together", []string{"--rollout", "1s-2s", "--join", "1"}},
		{"--rollout 0s-2s: it begins after 0s", []string{"--rollout", "0s-2s"}},
		{"--rollout and --second-profile do not go together", []string{"--rollout", "1s-2s", "--second-profile", "l4-8b-fp8"}},
		{"replica 0 joins or leaves at 10h0m0s, after the last request", []string{"--away", "0@10h-"}},
		{"nowhere/r.json: no such file", []string{"--json", "nowhere/r.json"}},
		{"nowhere/r.html: no such file", []string{"--html", "nowhere/r.html"}},
	} {
		for _, engine := range []string{"wasm", "native"} {
			status, _, errs := replayed(append(c.args, "--engine", engine)...)
			if status != 1 || !strings.Contains(errs, c.want) {
				t.Errorf("%s %v: status %d, %q; want %q", engine, c.args, status, errs, c.want)
			}
		}
	}
	status, out, errs := replayed("--engine", "native", "--trace", bad, "--skip-bad")
	if status != 0 || !strings.Contains(out, "2 requests, ") || !strings.Contains(errs, "bad.jsonl: bad lines left out: 1") {
		t.Errorf("--skip-bad: status %d, %s%s", status, out, errs)
	}
}

// A fleet that is replaced, or misses one, answers all requests all the same, and what users saw meanwhile is a table of its own.
func TestReplayOfAFleetThatChanges(t *testing.T) {
	for want, args := range map[string][]string{
		"cache_aware 3, 3": {"--rollout", "1ms-3s"},
		"cache_aware 1, 2": {"--away", "0@1ms-1s", "--away", "1@2ms-"},
	} {
		status, out, errs := replayed(append(args, "--engine", "native", "--policies", "cache_aware,peer:llmd")...)
		if said := strings.Join(strings.Fields(out), " "); status != 0 || !strings.Contains(said, "Replicas that joined and left") || !strings.Contains(said, want) {
			t.Errorf("%v: status %d, %s%s", args, status, out, errs)
		}
	}
}

// Requests that no replica takes are said to be refused, and where no request is taken there is no result.
func TestReplaySaysWhatWasRefused(t *testing.T) {
	short := `{"t":0,"path":"/v1/completions","body":{"model":"m","prompt":"Hello."},"output_tokens":5}` + "\n"
	long := `{"t":1,"path":"/v1/completions","body":{"model":"m","prompt":[1` + strings.Repeat(",1", 500_000) + `]},"output_tokens":5}` + "\n"
	inJSON := filepath.Join(t.TempDir(), "r.json")
	args := []string{"replay", "--trace", "-", "--engine", "native", "--policies", "round_robin", "--replicas", "2", "--json", inJSON}
	if status, _, errs := hostsim(short+long, args...); status != 0 || !strings.Contains(errs, "round_robin: 1 of them were refused") {
		t.Errorf("status %d: %s", status, errs)
	}
	if r := readOutcomes(t, inJSON)[0]; r.Rejected == nil || *r.Rejected != 1 {
		t.Errorf("rejected %v, want 1", r.Rejected)
	}
	if status, _, errs := hostsim(long, args...); status != 1 || !strings.Contains(errs, "every request are longer than a replica's memory of 445600 KV tokens") {
		t.Errorf("status %d: %s", status, errs)
	}
}

// What is wrong with the flags is said before the trace is read, and what cannot come during it.
func TestReplayFlagsAreCheckedFirst(t *testing.T) {
	for want, args := range map[string][]string{
		`policy nonsense: policy: "nonsense" is not one of`: {"--trace", "no-such-file", "--policies", "round_robin,nonsense"},
		`policy peer:none: peer "none": none of that name`:  {"--trace", "no-such-file", "--policies", "peer:none"},
		"--clients goes with --closed":                      {"--trace", "no-such-file", "--clients", "3"},
		"--hang-up 1.5 and":                                 {"--trace", "no-such-file", "--hang-up", "1.5"},
		"--hang-up-after 0s:":                               {"--trace", "no-such-file", "--hang-up", ".5", "--hang-up-after", "0s"},
		"no-module.wasm: no such file":                      {"--trace", "no-such-file", "--engine", "wasm", "--wasm", "no-module.wasm"},
		`profile "no-profile"`:                              {"--trace", "no-such-file", "--second-profile", "no-profile"},
		"no-plugin.json: no such file":                      {"--trace", "no-such-file", "--plugin", "no-plugin.json"},
		"before they join at 1000h0m0s":                     {"--trace", smallTrace, "--join", "1", "--join-at", "1000h"},
	} {
		if status, _, errs := hostsim("", append([]string{"replay", "--engine", "native"}, args...)...); status != 1 || !strings.Contains(errs, want) {
			t.Errorf("%v: status %d, %s; want %s", args, status, errs, want)
		}
	}
}
