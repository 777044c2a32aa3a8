package worker

import (
	"fmt"
	"testing"

	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
	"warmroute/plugin/why"
)

// A request may choose its policy, if its header is trusted.
func TestPolicyOfARequest(t *testing.T) {
	const flat = `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""},"policy":"prefix_hash","index_bytes":0,"policy_header":"x-policy"%s}`
	const pools = `{"policy_header":"x-policy","policy_header_from":"any","scrape":{"path":""},"pools":[
		{"name":"m","match":{"models":["m"]},"endpoints":["10.0.0.1:80"],"steer":{"cluster":"c"}}]%s}`
	for _, c := range []struct {
		configuration, more, header string
		internal                    bool
		policy                      string
		code                        why.Code
		cluster                     string
	}{
		{flat, "", "", true, "prefix_hash", "", ""},
		{flat, "", "round_robin", true, "round_robin", "", ""},
		{flat, "", "round_robin", false, "prefix_hash", "", ""},
		{flat, `,"policy_header_from":"any"`, "random", false, "random", "", ""},
		{flat, "", "nonsense", true, "prefix_hash", "", ""},
		{flat, "", "cache_aware", true, "prefix_hash", "", ""}, // there is no index
		{flat, "", "off", true, "", why.Off, ""},
		{flat, "", "off", false, "prefix_hash", "", ""},
		{pools, "", "off", false, "", why.Off, "c"}, // it still goes to its model
		{pools, "", "expected_ttft", false, "expected_ttft", "", "c"},
	} {
		w := workerOf(t, fmt.Sprintf(c.configuration, c.more), memstore.New())
		h := inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"}
		if c.header != "" {
			w.Take(&h, "x-policy", c.header)
		}
		if c.internal {
			w.Take(&h, "x-envoy-internal", "true")
		}
		var x Exchange
		verdict, code := x.Begin(w, &h)
		if verdict == inspect.Read {
			x.Write([]byte(`{"model":"m","prompt":"Once"}`))
			code = x.Decide(true, second)
		}
		if code != c.code || code == "" && x.Decision().Policy.String() != c.policy || x.Cluster() != c.cluster {
			t.Errorf("%q, internal %v: policy %v, code %q, cluster %q; want %s, %q, %q",
				c.header, c.internal, x.Decision().Policy, code, x.Cluster(), c.policy, c.code, c.cluster)
		}
		x.End(second, false)
	}
}

// Policies that take turns know the endpoints, whichever was chosen first.
func TestChosenPoliciesKnowTheEndpoints(t *testing.T) {
	w := workerOf(t, `{"endpoints":["10.0.0.1:80","10.0.0.2:80"],"scrape":{"path":""},"policy":"round_robin","policy_header":"p","policy_header_from":"any"}`, memstore.New())
	turns := map[string]map[string]int{}
	for i := range 12 {
		policy := []string{"round_robin", "lru_match", "power_of_two"}[i%3]
		h := inspect.Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json", Policy: policy}
		var x Exchange
		x.Begin(w, &h)
		x.Write([]byte(fmt.Sprintf(`{"prompt":"%d"}`, i)))
		x.Decide(true, second)
		if turns[policy] == nil {
			turns[policy] = map[string]int{}
		}
		turns[policy][x.Address()]++
	}
	for _, policy := range []string{"round_robin", "lru_match"} {
		if got := turns[policy]; got["10.0.0.1:80"] != 2 || got["10.0.0.2:80"] != 2 {
			t.Errorf("%s: %v", policy, got)
		}
	}
}
