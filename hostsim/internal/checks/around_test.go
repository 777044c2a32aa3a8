package checks

import (
	"fmt"
	"strings"
	"testing"
)

// Since Envoy 1.33 no request is internal by default, so that nobody may name a policy.
func TestNobodyIsInternal(t *testing.T) {
	const warning = "Envoy takes none for internal"
	text := example(t, "endpoint")
	for _, c := range []struct {
		settings, manager string
		want              bool
	}{
		{`"policy_header": "x-policy",`, "", true},
		{`"policy_header": "x-policy",`, "internal_address_config: { cidr_ranges: [{ address_prefix: 10.0.0.0, prefix_len: 8 }] }\n          ", false},
		{`"policy_header": "x-policy", "policy_header_from": "any",`, "", false},
		{"", "", false},
	} {
		with := strings.NewReplacer(`"policy": "cache_aware",`, c.settings, "use_remote_address:", c.manager+"use_remote_address:").Replace(text)
		if all := judge(t, with); strings.Contains(fmt.Sprint(all), warning) != c.want {
			t.Errorf("%+v: %+v", c, all)
		}
	}
}

// Two filters that route in one chain are named; one that is off there, and on for a route, is none.
func TestTwoFiltersThatRoute(t *testing.T) {
	text := example(t, "endpoint")
	from, to := strings.Index(text, "          - name: warmroute\n"), strings.Index(text, "          - name: envoy.filters.http.router\n")
	filter := text[from:to]
	for again, want := range map[string]bool{
		filter: true,
		strings.Replace(filter, "typed_config:", "disabled: true\n            typed_config:", 1): false,
		strings.Replace(filter, `"policy": "cache_aware",`, `"role": "gate",`, 1):                false,
	} {
		all := judge(t, text[:to]+again+text[to:])
		if got := strings.Contains(fmt.Sprint(all), "its filters warmroute, warmroute all route"); got != want {
			t.Errorf("named: %v, want %v: %+v", got, want, all)
		}
	}
}

// Two filters that route in one VM to different endpoints are named, wherever they are.
func TestFiltersBesideEachOther(t *testing.T) {
	text := example(t, "endpoint")
	from, to := strings.Index(text, "  - name: llm\n"), strings.Index(text, "  clusters:\n")
	if from < 0 || to < from {
		t.Fatal("the example has no listener")
	}
	two := []string{`"127.0.0.1:8002",`, `"127.0.0.1:8002"`, `"127.0.0.1:8003"`, ``}
	listener := strings.Replace(text[from:to], "port_value: 10000", "port_value: 10001", 1)
	for what, c := range map[string]struct {
		with *strings.Replacer
		want bool
	}{
		"the same":             {strings.NewReplacer(), false},
		"another limit":        {strings.NewReplacer(`"policy": "cache_aware",`, `"policy": "cache_aware", "hold_limit": "5s",`), false},
		"other endpoints":      {strings.NewReplacer(two...), true},
		"others in another VM": {strings.NewReplacer(append(two, "vm_id: warmroute", "vm_id: other")...), false},
	} {
		all := judge(t, text[:to]+c.with.Replace(listener)+text[to:])
		if got := strings.Contains(fmt.Sprint(all), "routes in the same VM as"); got != c.want {
			t.Errorf("%s: named: %v, want %v: %+v", what, got, c.want, all)
		}
		running := text[:to] + c.with.Replace(listener) + text[to:] + "\n---\n{\"@type\": type.googleapis.com/envoy.admin.v3.BootstrapConfigDump}\n"
		if all := judge(t, running); strings.Contains(fmt.Sprint(all), "routes in the same VM as") {
			t.Errorf("%s: named, though the Envoy that runs may have it from before a change: %+v", what, all)
		}
	}
}
