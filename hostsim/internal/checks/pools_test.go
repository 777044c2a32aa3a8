package checks

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// pooled is the example with several pools, with other pools.
func pooled(t *testing.T, pools string) string {
	t.Helper()
	text := example(t, "pools")
	from, to := strings.Index(text, `"pools": [`), strings.Index(text, "\n                    }\n")
	if from < 0 || to < from {
		t.Fatal("the example has no pools")
	}
	return text[:from] + `"pools": [` + pools + "]" + text[to:]
}

// A pattern stands for the clusters that routes lead to, and what is off is not judged.
func TestPatternsAndPoolsThatAreOff(t *testing.T) {
	const off = `{"name": "legacy", "match": {"cluster": "legacy"}, "off": true}`
	for _, c := range []struct {
		pools string
		worst finding.Level
		what  string // of a finding that there must be; "": the first is that it is taken
	}{
		{`{"name": "a-*", "match": {"cluster": "orch*"}}, ` + off, finding.Fine, ""},
		{`{"name": "a-*", "match": {"cluster": "adm*"}}`, finding.Fine, ""}, // of the module alone: no route leads there
		{`{"name": "a-*", "match": {"cluster": "other*"}}`, finding.Weak, "no cluster fits other*: the pool a-* gets no request"},
		{`{"name": "a", "match": {"cluster": "other"}}`, finding.Broken, "there is no cluster other"},
	} {
		all := judge(t, pooled(t, c.pools))
		if finding.Worst(all) != c.worst || !strings.Contains(fmt.Sprintf("%+v", all), c.what) {
			t.Errorf("%s: %+v, want %v, %q", c.pools, all, c.worst, c.what)
		}
	}
	text := pooled(t, `{"name": "a-*", "match": {"cluster": "orch*"}}`)
	all := judge(t, strings.Replace(text, "- header: x-gateway-destination-endpoint", "- header: x-other", 1))
	if !strings.Contains(fmt.Sprintf("%+v", all), "cluster orchard What:it lacks the override_host policy") {
		t.Errorf("the cluster of a pattern is not judged: %+v", all)
	}
	text = pooled(t, `{"name": "a-*", "match": {"cluster": "orch*"}, "off": true}, {"name": "b-*", "match": {"cluster": "or*"}}`)
	all = judge(t, strings.Replace(text, "- header: x-gateway-destination-endpoint", "- header: x-other", 1))
	if strings.Contains(fmt.Sprintf("%+v", all), "override_host") {
		t.Errorf("a cluster is judged by a pattern that comes behind the one that it fits first: %+v", all)
	}
}
