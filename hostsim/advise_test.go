package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestAdvise(t *testing.T) {
	dir := t.TempDir()
	inJSON, inHTML, trace := filepath.Join(dir, "a.json"), filepath.Join(dir, "a.html"), filepath.Join(dir, "t.jsonl")
	if status, _, errs := hostsim("", "generate", "--out", trace, "--requests", "150"); status != 0 {
		t.Fatal(errs)
	}
	status, out, errs := hostsim("", "advise", "--trace", trace, "--replicas", "2", "--seeds", "2", "--slo", "ttft_p95=2s", "--json", inJSON, "--html", inHTML)
	if status != 0 {
		t.Fatalf("status %d: %s", status, errs)
	}
	for _, part := range []string{"before you rely on this, take a log of 200 or more", "What limits it: ", "TTFT, mean", "95 % interval", "replicas, ttft_p95 ≤ 2.00 s"} {
		if !strings.Contains(strings.Join(strings.Fields(out), " "), part) {
			t.Errorf("the answer lacks %q:\n%s", part, out)
		}
	}
	if n := strings.Count(out, "\n"); n > 40 {
		t.Errorf("%d lines do not fit on a screen", n)
	}
	text, err := os.ReadFile(inJSON)
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Advice struct {
			Verdict string
			Gain    struct{ Low, High *float64 } `json:"gain_ttft_mean"`
		}
	}
	if err := json.Unmarshal(text, &all); err != nil || all.Advice.Verdict == "" || all.Advice.Gain.Low == nil {
		t.Errorf("%v: %s", err, text)
	}
	page, err := os.ReadFile(inHTML)
	if err != nil || !strings.Contains(string(page), all.Advice.Verdict[:20]) || !strings.Contains(string(page), "hostsim advise --trace") {
		t.Errorf("the page: %v", err)
	}
	for _, bad := range [][]string{{}, {"--trace", smallTrace, "--seeds", "1"}, {"--trace", smallTrace, "--slo", "fast"},
		{"--record", "--tune"}, {"--record", "--slo", "ttft_p95=2s"}, {"--record", "--json", filepath.Join(dir, "r.json")}} {
		if status, _, errs := hostsim("", append([]string{"advise"}, bad...)...); status != 1 || errs == "" {
			t.Errorf("%v: status %d, %s", bad, status, errs)
		}
	}
}

// A Service that no configuration can name is refused before anything is replayed.
func TestServiceIsChecked(t *testing.T) {
	for _, service := range []string{"vllm.default:99999", "vllm:0", "Vllm"} {
		if status, _, errs := hostsim("", "advise", "--trace", "-", "--service", service); status != 1 || !strings.Contains(errs, "--service") {
			t.Errorf("%s: status %d, %q", service, status, errs)
		}
	}
}

// Where there is no log, advise says how to get one.
func TestAdviseRecord(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--record", 0, `"record": true`},
		{"--record --form wasmplugin --service llm.prod:8080", 0, "name: warmroute-record"},
		{"--record --form envoy --endpoints 10.0.0.7:80", 0, "envoy.access_loggers.stdout"},
		{"--record --trace x", 1, "--record: it is for where there is no trace"},
		{"--record --endpoints nowhere", 1, "--endpoints: "},
		{"", 1, "--record prints how to get one"},
	} {
		status, out, errs := hostsim("", append([]string{"advise"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(out+errs, c.want) {
			t.Errorf("%s: status %d\n%s%s", c.args, status, out, errs)
		}
	}
}

// What a form has no place for is refused instead of left out, and what is made up of a Service's name is said.
func TestNamesFitTheForm(t *testing.T) {
	for _, c := range []struct {
		args   string
		status int
		want   string
	}{
		{"--service vllm.default:8000", 1, "--service: the form json names endpoints and no Service: --form wasmplugin"},
		{"--service vllm.default:8000 --form envoy", 1, "--service: the form envoy names endpoints"},
		{"--form wasmplugin --endpoints 10.0.0.7:80", 1, "--endpoints: the form wasmplugin names a Service"},
		{"--form wasmplugin --service llm", 0, "--service llm is taken to be llm.default.svc.cluster.local:8000"},
		{"--form wasmplugin --service llm.prod", 0, "is taken to be llm.prod.svc.cluster.local:8000"},
		{"--form wasmplugin --service llm:80", 0, "is taken to be llm.default.svc.cluster.local:80:"},
		{"--form wasmplugin --service llm.prod:80", 0, ""},
	} {
		status, out, errs := hostsim("", append([]string{"advise", "--record"}, strings.Fields(c.args)...)...)
		if status != c.status || !strings.Contains(errs, c.want) || c.want == "" && errs != "" {
			t.Errorf("%s: status %d, %q", c.args, status, errs)
		}
		if _, name, said := strings.Cut(errs, "is taken to be "); said {
			host, rest, _ := strings.Cut(name, ":")
			port, _, _ := strings.Cut(rest, ":")
			if !strings.Contains(out, "outbound|"+port+"||"+host) {
				t.Errorf("%s: it is said to be %s:%s, and is not:\n%s", c.args, host, port, out)
			}
		}
	}
}

// Requests that no replica has the memory for are counted where the advice is; of nothing else there is none.
func TestAdviseSaysWhatWasRefused(t *testing.T) {
	trace := filepath.Join(t.TempDir(), "t.jsonl")
	if status, _, errs := hostsim("", "generate", "--out", trace, "--requests", "150"); status != 0 {
		t.Fatal(errs)
	}
	args := []string{"advise", "--trace", trace, "--replicas", "2", "--seeds", "2", "--kv-tokens"}
	const all = "prompt and answer of every request are longer than a replica's memory of 96 KV tokens"
	if status, out, errs := hostsim("", append(args, "100")...); status != 1 || out != "" || !strings.Contains(errs, all) {
		t.Errorf("status %d, %s%s; want %q", status, out, errs, all)
	}
	status, out, errs := hostsim("", append(args, "3000")...)
	if said := strings.Join(strings.Fields(out), " "); status != 0 || !strings.Contains(said, "of 150 requests. Prompt and answer are longer than a replica's memory of 2992 KV tokens.") || strings.Contains(out, "NaN") {
		t.Errorf("status %d, %s%s", status, out, errs)
	}
}
