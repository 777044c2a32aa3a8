package main

import (
	"bytes"
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

func TestEveryFieldHasAMeaning(t *testing.T) {
	for _, name := range strings.Fields("policy reason why endpoint next served key home home_in_flight bound in_flight other_in_flight " +
		"waiting given matched blocks cost_tokens cost_s margin queued_tokens uncached_tokens tokens_per_s ttft_us prompt_tokens cached_tokens") {
		if meaningOf(name, "1", "") == "" {
			t.Errorf("%s: no meaning", name)
		}
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
