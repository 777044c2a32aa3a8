package doctor

import (
	"slices"
	"strings"
	"testing"
)

func TestWasmPlugin(t *testing.T) {
	const plugin = `kind: WasmPlugin
metadata: {name: warmroute}
spec:
  failStrategy: FAIL_OPEN
  pluginConfig: {discovery: {cluster: outbound|8000||vllm.default.svc.cluster.local}, steer: {via: header}}
`
	all := judge(t, plugin)
	if Worst(all) != Broken || !strings.Contains(all[0].What, "a flag that this resource cannot set") {
		t.Errorf("%+v", all)
	}
	right := strings.Replace(plugin, "via: header", "via: property", 1)
	if all := judge(t, right); Worst(all) != Weak || !strings.Contains(all[0].What, "no EnvoyFilter is given with it") {
		t.Errorf("%+v", all)
	}
	right += "---\n" + read(t, root+"istio/wasmplugin/envoyfilter.yaml")
	if all := judge(t, right); Worst(all) != Fine {
		t.Errorf("%+v", all)
	}
	for _, c := range []struct {
		old, new string
		level    Level
		what     string
	}{
		{"  failStrategy: FAIL_OPEN\n", "", Weak, "not set, which is FAIL_CLOSE"},
		{"FAIL_OPEN", "FAIL_CLOSE", Weak, "failStrategy is FAIL_CLOSE"},
		{"FAIL_OPEN", "FAIL_OPEN\n  phase: AUTHN", Weak, "phase AUTHN"},
		{"outbound|8000||vllm.default.svc.cluster.local", "vllm.default.svc.cluster.local", Weak, "no name that Istio gives"},
		{"outbound|8000||", "outbound||", Weak, "no name that Istio gives"},
		{"  failStrategy", "  url: oci://registry.example.com/warmroute:0.1.0\n  failStrategy", Weak, "is a placeholder"},
		{"{discovery: {", "{discovery: {admin_cluster: prometheus-stats, ", Weak, "no cluster prometheus-stats"},
		{"pluginConfig", "pluginconfig", Broken, "it has no pluginConfig"},
	} {
		if all := judge(t, strings.Replace(right, c.old, c.new, 1)); !slices.ContainsFunc(all, func(f Finding) bool { return f.Level == c.level && strings.Contains(f.What, c.what) }) {
			t.Errorf("%s: no finding %q; but %+v", c.new, c.what, all)
		}
	}
}
