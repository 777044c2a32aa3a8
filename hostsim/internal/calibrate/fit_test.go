package calibrate

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warmroute/hostsim/internal/vllm"
)

// slower is what fits have to find: p with some of its numbers changed.
func slower(t testing.TB, p vllm.Profile, factors map[string]float64) vllm.Profile {
	t.Helper()
	for _, k := range knobs {
		for _, name := range k.fields {
			v, _ := p.Value(name)
			if f := factors[k.name]; f > 0 {
				if err := p.Set(name, v*f, "test"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return p
}

// A log made by another profile is fitted, and the factors it determines are found.
func TestLogFindsFactors(t *testing.T) {
	base := profileOf(t, "rtx4090-llama8b")
	want := map[string]float64{"prefill and arithmetic": 1.4, "reading KV": .8}
	run, _ := made(t, slower(t, base, want), 120)
	f, err := run.Log(base, .5, "test")
	if err != nil {
		t.Fatal(err)
	}
	if f.After[1].Worst() > .02 {
		t.Errorf("others: %v, before %v; want within 2 %%", f.After[1], f.Before[1])
	}
	for _, k := range f.Factors {
		w := max(want[k.Name], 0)
		if w == 0 {
			w = 1
		}
		t.Logf("%+v, want %v", k, w)
		if k.Known && math.Abs(k.Value/w-1) > .2 {
			t.Errorf("%s: × %.3f, want %v", k.Name, k.Value, w)
		}
	}
	if f.Profile.Basis != vllm.Measured || f.Profile.Error < .02 || !strings.Contains(f.Profile.Sources["prefill_ns_per_token"], "calibrated") {
		t.Errorf("profile %v, sources %v", &f.Profile, f.Profile.Sources)
	}
	if base.Sources["prefill_ns_per_token"] == f.Profile.Sources["prefill_ns_per_token"] {
		t.Error("the base's sources were changed")
	}
}

// Where all of a log is fitted, nothing is said of requests that were not.
func TestLogThatIsFittedWhole(t *testing.T) {
	base := profileOf(t, "rtx4090-llama8b")
	run, _ := made(t, base, 20)
	f, err := run.Log(base, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	if got := f.Profile.Sources["step_error"]; !strings.Contains(got, "the 20 requests that were fitted, since there are no others") || f.Profile.Basis != vllm.Calibrated {
		t.Errorf("%v, step_error: %s", f.Profile.Basis, got)
	}
}

// What a measurement does not depend on stays as it was, and is said.
func TestFitSaysWhatItCannotKnow(t *testing.T) {
	base := profileOf(t, "h100-llama8b")
	f, err := Fit(base, "test", func(p vllm.Profile) (float64, error) {
		return math.Abs(math.Log(p.Weights / base.Weights / 1.3)), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range f.Factors {
		if k.Name == "reading the weights" {
			if !k.Known || math.Abs(k.Value-1.3) > .02 {
				t.Errorf("%+v, want × 1.3", k)
			}
		} else if k.Known || math.Abs(k.Value-1) > .01 {
			t.Errorf("%+v, want unchanged and not known", k)
		}
	}
}

func TestReadLog(t *testing.T) {
	const good = `{"arrival": 5, "prompt_tokens": 30, "output_tokens": 3, "ttft": 0.5, "latency": 0.9, "cached_tokens": 16}` + "\n"
	for _, c := range []struct{ name, text, want string }{
		{"good", good + "\n" + strings.Replace(good, "5,", "5.5,", 1), ""},
		{"empty", "", "no requests"},
		{"not JSON", good + "x", "line 2"},
		{"no arrival", strings.Replace(good, "arrival", "at", 1), "line 1: arrival: missing"},
		{"no output", strings.Replace(good, `"output_tokens": 3`, `"output_tokens": 0`, 1), "output_tokens 0"},
		{"latency below ttft", strings.Replace(good, "0.9", "0.4", 1), "latency 0.4"},
		{"all cached", strings.Replace(good, "16", "30", 1), "cached_tokens: 30"},
		{"ids", strings.Replace(good, "16}", `16, "prompt_ids": [1]}`, 1), "prompt_ids: 1 for 30"},
		{"order", strings.Replace(good, "5,", "5.5,", 1) + good, ""},
		{"a time as text", strings.Replace(good, "5,", `"2026-03-01T09:00:00Z",`, 1), "line 1: arrival: string where a number belongs"},
		{"milliseconds", strings.NewReplacer("0.5", "500", "0.9", "8900").Replace(good), "are these milliseconds?"},
	} {
		path := filepath.Join(t.TempDir(), "log.jsonl")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		run, err := ReadLog(path)
		if c.want == "" {
			if err != nil || len(run.Requests) != 2 || run.Arrivals[1] != 5e8 || run.Requests[0].PromptTokens != 14 || math.Abs(run.TPOT[0]-.2) > 1e-9 {
				t.Errorf("%s: %+v, %v", c.name, run, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
	if _, err := ReadLog(t.TempDir()); err == nil {
		t.Error("an empty folder was taken")
	}
}
