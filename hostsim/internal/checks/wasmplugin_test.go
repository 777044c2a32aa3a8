package checks

import (
	"slices"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
)

func TestWasmPlugin(t *testing.T) {
	const plugin = `kind: WasmPlugin
metadata: {name: warmroute}
spec:
  selector: {matchLabels: {istio: ingressgateway}}
  failStrategy: FAIL_OPEN
  pluginConfig: {discovery: {cluster: outbound|8000||vllm.default.svc.cluster.local}, steer: {via: header}}
`
	all := judge(t, plugin)
	if finding.Worst(all) != finding.Broken || !strings.Contains(all[0].What, "a flag that this resource cannot set") {
		t.Errorf("%+v", all)
	}
	right := strings.Replace(plugin, "via: header", "via: property", 1)
	if all := judge(t, right); finding.Worst(all) != finding.Weak || !strings.Contains(all[0].What, "no EnvoyFilter is given with it") {
		t.Errorf("%+v", all)
	}
	right += "---\n" + read(t, root+"istio/wasmplugin/envoyfilter.yaml")
	if all := judge(t, right); finding.Worst(all) != finding.Fine {
		t.Errorf("%+v", all)
	}
	for _, c := range []struct {
		old, new string
		level    finding.Level
		what     string
	}{
		{"  failStrategy: FAIL_OPEN\n", "", finding.Weak, "not set, which is FAIL_CLOSE"},
		{"FAIL_OPEN", "FAIL_CLOSE", finding.Weak, "failStrategy is FAIL_CLOSE"},
		{"FAIL_OPEN", "FAIL_OPEN\n  phase: AUTHN", finding.Weak, "phase AUTHN"},
		{"outbound|8000||vllm.default.svc.cluster.local", "vllm.default.svc.cluster.local", finding.Weak, "no name that Istio gives"},
		{"outbound|8000||vllm.default.svc.cluster.local", "outbound|8000||vllm", finding.Weak, "no name that Istio gives"},
		{"outbound|8000||", "outbound||", finding.Weak, "no name that Istio gives"},
		{"  failStrategy", "  url: oci://registry.example.com/warmroute:0.1.0\n  failStrategy", finding.Weak, "is a placeholder"},
		{"{discovery: {", "{discovery: {admin_cluster: prometheus-stats, ", finding.Weak, "no cluster prometheus-stats"},
		{"  selector: {matchLabels: {istio: ingressgateway}}\n", "", finding.Weak, "all gateways and sidecars"},
		{"  workloadSelector:\n", "  other:\n", finding.Weak, "all gateways and sidecars"},
		{"pluginConfig", "pluginconfig", finding.Broken, "it has no pluginConfig"},
	} {
		if all := judge(t, strings.Replace(right, c.old, c.new, 1)); !slices.ContainsFunc(all, func(f finding.Finding) bool { return f.Level == c.level && strings.Contains(f.What, c.what) }) {
			t.Errorf("%s: no finding %q; but %+v", c.new, c.what, all)
		}
	}
}

// What an EnvoyFilter's module holds must fit into what its routes hold.
func TestRoomOfRoutes(t *testing.T) {
	right := read(t, root+"istio/envoyfilter/envoyfilter.yaml")
	for _, c := range []struct{ old, new, want string }{
		{"", "", ""},
		{`"policy":`, `"scan_bytes": 3145728, "policy":`, ""},
		{`"policy":`, `"scan_bytes": 8388608, "policy":`, "bodies above 4096 KiB may be answered 413"},
		{"request_body_buffer_limit: 4194304", "request_body_buffer_limit: 2097152", "bodies above 2048 KiB may be answered 413"},
		{"request_body_buffer_limit: 4194304", "{}", "bodies above 1024 KiB may be answered 413"},
	} {
		text := strings.Replace(right, c.old, c.new, 1)
		if c.old != "" && text == right {
			t.Fatalf("nothing like %s", c.old)
		}
		all := judge(t, text)
		if said := slices.ContainsFunc(all, func(f finding.Finding) bool {
			return f.Level == finding.Weak && strings.Contains(f.What, "answered 413") && strings.Contains(f.What, c.want) && strings.Contains(f.Cure, "request_body_buffer_limit: ")
		}); said != (c.want != "") {
			t.Errorf("%s: %+v, want %q", c.new, all, c.want)
		}
	}
}

// Whatever loads the module, an image that is only a name in what we ship is said.
func TestPlaceholders(t *testing.T) {
	for _, file := range []string{"istio/wasmplugin/wasmplugin.yaml", "istio/envoyfilter/envoyfilter.yaml", "istio/pools/envoyfilter.yaml", "examples/envoy-gateway/warmroute.yaml"} {
		if all := judge(t, read(t, root+file)); !slices.ContainsFunc(all, func(f finding.Finding) bool {
			return strings.Contains(f.What, "is a placeholder") && strings.Contains(f.Cure, "YOUR-REGISTRY/warmroute:")
		}) {
			t.Errorf("%s: %+v", file, all)
		}
	}
}

// Settings that are taken and do nothing are said; none is where something uses them.
func TestIdleSettings(t *testing.T) {
	const endpoints = `{"endpoints": ["10.0.0.1:80"], `
	for text, want := range map[string]string{
		`"paths": [{"path": "/openai/deployments/*/chat/completions", "format": "chat"}]}`:            "the * in the path /openai/deployments/*/chat/completions stands for itself",
		`"paths": [{"path": "/openai/{deployment}/chat", "format": "chat"}, {"path": "/{team}/**"}]}`: "",
		`"policy": "round_robin", "hold_limit": "5s"}`:                                                "hold_limit holds no request",
		`"policy": "prefix_hash", "cross_zone": "5ms"}`:                                               "cross_zone costs nothing",
		`"index_bytes": 536870912}`:                                                                   "index_bytes come to 512 MiB",
		`"index_bytes": 268435456, "shadow": "expected_ttft"}`:                                        "index_bytes come to 512 MiB",
		`"index_bytes": 268435456, "pools": [{"name": "a", "match": {"cluster": "a"}, "off": true}, {"name": "b", "match": {"cluster": "b"}, "off": true}]}`: "",
		`"index_bytes": 268435456}`:                                                                           "",
		`"shadow": "cache_aware"}`:                                                                            "shadow is the policy itself",
		`"experiment": {"share": 0.5, "policy": "cache_aware"}}`:                                              "experiment.policy is the policy itself",
		`"experiment": {"window": "10m"}}`:                                                                    "experiment.share is 0",
		`"policy": "prefix_key", "steer": {"target": "hash"}, "record": true}`:                                "record describes no request",
		`"prefix_hash": {"prefix_chars": 20}}`:                                                                "the settings of prefix_hash change nothing",
		`"policy": "lru_match", "prefix_hash": {"prefix_chars": 20}}`:                                         "",
		`"shadow": "prefix_hash", "prefix_hash": {"prefix_chars": 20}}`:                                       "",
		`"policy": "round_robin", "experiment": {"share": 0.5, "policy": "cache_aware"}, "hold_limit": "5s"}`: "",
		`"policy": "round_robin", "policy_header": "x-policy", "hold_limit": "5s", "cache_aware": {}}`:        "",
		`"policy": "round_robin", "hold_limit": "0s"}`:                                                        "",
		`"policy": "round_robin", "cache_aware": {}}`:                                                         "",
	} {
		f := manifest.Filter{Where: "configuration", JSON: []byte(endpoints + text)}
		all := Judge(&manifest.Setup{Filters: []manifest.Filter{f}})
		if weak := finding.Worst(all) == finding.Weak; weak != (want != "") || weak && !strings.Contains(all[0].What, want) {
			t.Errorf("%s: %+v, want %q", text, all, want)
		}
	}
}
