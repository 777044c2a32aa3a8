package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warmroute/plugin/route"
	"warmroute/plugin/why"
)

func TestEveryReasonHasAMeaning(t *testing.T) {
	for _, reason := range route.Reasons {
		if reasons[reason] == "" {
			t.Errorf("reason %s: no meaning", reason)
		}
	}
	if len(reasons) != len(route.Reasons) {
		t.Errorf("%d meanings for %d reasons", len(reasons), len(route.Reasons))
	}
	for _, code := range why.ByLoad {
		if whys[code] == "" {
			t.Errorf("why %s: no meaning", code)
		}
	}
	if len(whys) != len(why.ByLoad) {
		t.Errorf("%d meanings for %d codes", len(whys), len(why.ByLoad))
	}
}

// fields are how the module's sources name what a decision shows.
var fields = regexp.MustCompile(`";([a-z_]{3,})="|\.term\("([a-z_]+)"`)

func TestEveryFieldHasAMeaning(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../plugin", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range fields.FindAllStringSubmatch(string(source), -1) {
			found++
			if name := m[1] + m[2]; meaningOf(name, "1", "") == "" {
				t.Errorf("%s: %s has no meaning", path, name)
			}
		}
		return err
	})
	if err != nil || found < 20 {
		t.Errorf("%d fields, %v", found, err)
	}
}

func TestExplain(t *testing.T) {
	for _, c := range []struct{ decision, want string }{
		{"", "passed on unsteered: not an LLM request that warmroute reads, or in no pool\n"},
		{"new=1;reason=home;policy=prefix_hash", "policy prefix_hash the rule in force\n" +
			"reason home the ring's own endpoint for the key, and not at its bound\nnew 1 \n"},
		{"reason=by_load;why=broken_json", "reason by_load least loaded, as the prompt was not gone by\n" +
			"why broken_json the body is not JSON, or is cut short\n"},
		{"reason=by_load", "reason by_load least loaded: no endpoint is known to hold any of the prompt, or the policy ignores prompts\n"},
	} {
		var out bytes.Buffer
		err := explain(&out, c.decision)
		if got := regexp.MustCompile(" +").ReplaceAllString(out.String(), " "); err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %swant %s", c.decision, err, got, c.want)
		}
	}
}

// A decision is found wherever a log has it; a line without one is told from one that was left alone.
func TestExplainOfALog(t *testing.T) {
	const decision = "pool=chat;policy=cache_aware;reason=match;endpoint=10.0.0.1:8000;next=10.0.0.2:8000,10.0.0.3:8000;matched=16;blocks=16"
	for _, line := range []string{decision, "200 - 108ms upstream=10.0.0.1:8000 attempts=1 " + decision, `{"path":"/v1/completions","decision":"` + decision + `","x":"a=b;c=d"}`} {
		for stdin, args := range map[string][]string{"": {"explain", line}, line + "\n": {"explain"}, "-\n" + line + "\n": {"explain", "-"}} {
			status, out, errs := hostsim(stdin, args...)
			if status != 0 || strings.Count(out, "\n") != 7 || !strings.Contains(out, "no endpoint is known to hold more of the prompt") || !strings.Contains(out, "10.0.0.2:8000,10.0.0.3:8000") {
				t.Errorf("%s: status %d\n%s%s", line, status, out, errs)
			}
		}
	}
	if status, out, _ := hostsim(decision+"\n"+decision+"\n", "explain"); status != 0 || strings.Count(out, "\n") != 15 {
		t.Errorf("two decisions: status %d\n%s", status, out)
	}
	if status, _, errs := hostsim("POST /v1/completions 200 -\n", "explain"); status != 1 || !strings.Contains(errs, "left the request alone") {
		t.Errorf("status %d: %s", status, errs)
	}
}
