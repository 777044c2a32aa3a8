package decision

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"warmroute/plugin/decision"
	"warmroute/plugin/why"
)

func TestEveryReasonHasAMeaning(t *testing.T) {
	for _, reason := range decision.Reasons {
		if reasons[reason] == "" {
			t.Errorf("reason %s: no meaning", reason)
		}
	}
	if len(reasons) != len(decision.Reasons) {
		t.Errorf("%d meanings for %d reasons", len(reasons), len(decision.Reasons))
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
var fields = regexp.MustCompile(`";([a-z_]{3,})="|\.Term\("([a-z_]+)"`)

func TestEveryFieldHasAMeaning(t *testing.T) {
	found := 0
	err := filepath.WalkDir("../../../plugin", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, m := range fields.FindAllStringSubmatch(string(source), -1) {
			found++
			if name := m[1] + m[2]; Meaning(name, "1", "") == "" {
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
		err := Explain(&out, c.decision)
		if got := regexp.MustCompile(" +").ReplaceAllString(out.String(), " "); err != nil || got != c.want {
			t.Errorf("%s: %v\ngot  %swant %s", c.decision, err, got, c.want)
		}
	}
}
