package checks

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// A route to a cluster that is not there is found in a bootstrap, unless a control plane may give the cluster.
func TestRoutesToNoCluster(t *testing.T) {
	text := example(t, "endpoint")
	for _, c := range []struct {
		old, new, want string
	}{
		{"cluster: vllm\n                  timeout", "cluster: vlm\n                  timeout", "listener llm: route_config.virtual_hosts[0].routes[0].route.cluster is vlm, and there is no such cluster"},
		{"cluster: vllm\n                  timeout", "weighted_clusters: {clusters: [{name: vllm, weight: 1}, {name: vlm2, weight: 1}]}\n                  timeout", "route.weighted_clusters.clusters[1].name is vlm2,"},
		{"cluster: vllm\n                  timeout", "cluster: vllm\n                  request_mirror_policies: [{cluster: copy}]\n                  timeout", "route.request_mirror_policies[0].cluster is copy,"},
		{"cluster: vllm\n                  timeout", "cluster_header: x-cluster\n                  timeout", ""},
	} {
		if !strings.Contains(text, c.old) {
			t.Fatalf("the example has no %q", c.old)
		}
		wrong := strings.Replace(text, c.old, c.new, 1)
		said := ""
		for _, f := range judge(t, wrong) {
			if strings.Contains(f.What, "there is no such cluster") && f.Level == finding.Broken {
				said += f.Where + ": " + f.What + "\n"
			}
		}
		if c.want == "" && said != "" || !strings.Contains(said, c.want) || strings.Count(said, "\n") > 1 {
			t.Errorf("%s: %q, want %q", c.new, said, c.want)
		}
		given := wrong + "\ndynamic_resources: {cds_config: {path_config_source: {path: cds.yaml}}}\n"
		for _, f := range judge(t, given) {
			if strings.Contains(f.What, "there is no such cluster") {
				t.Errorf("%s, with a control plane: %+v", c.new, f)
			}
		}
	}
}

// Envoy reads a failure policy's name in any case, and its number; others it refuses.
func TestFailurePolicies(t *testing.T) {
	text := example(t, "endpoint")
	for value, want := range map[string]string{
		"FAIL_RELOAD": "", "fail_reload": "", "1": "", `"1"`: "",
		"FAIL_CLOSED": "failure_policy is FAIL_CLOSED:", "2": "failure_policy is FAIL_CLOSED:", "UNSPECIFIED": "failure_policy is UNSPECIFIED:",
		"FAIL_CLOSE": "failure_policy is FAIL_CLOSE, which Envoy does not know", "7": "failure_policy is 7, which", "true": "failure_policy is true, which", "-1": "failure_policy is -1, which",
	} {
		said := ""
		for _, f := range judge(t, strings.Replace(text, "failure_policy: FAIL_RELOAD", "failure_policy: "+value, 1)) {
			if strings.Contains(f.What, "failure_policy") {
				said += f.Level.String() + " " + f.What
			}
		}
		level := "weak "
		if strings.Contains(want, "which") {
			level = "broken "
		}
		if want == "" && said != "" || want != "" && !strings.HasPrefix(said, level+want) {
			t.Errorf("%s: %q, want %q", value, said, want)
		}
	}
}
