package checks

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// What a module asks of its Envoy, and does not find there.
func TestNeeds(t *testing.T) {
	for _, c := range []struct{ example, old, new, want string }{
		{"gateways", "host_env_keys: [WARMROUTE_PEERS_SECRET]", "host_env_keys: [OTHER]", "it is not given the variable WARMROUTE_PEERS_SECRET"},
		{"gateways", `{"cluster": "gateways"}`, `{"cluster": "others"}`, "there is no cluster others of the other gateways"},
		{"gateways", `{"admin_cluster": "admin"}`, `{"admin_cluster": "prometheus_stats"}`, "there is no cluster prometheus_stats, which is to lead to the admin interface"},
		{"discovery", `"admin_cluster": "admin"`, `"admin_cluster": "nosuch"`, "there is no cluster nosuch"},
		{"pools", `"admin_cluster": "admin"`, `"admin_cluster": "nosuch"`, "there is no cluster nosuch"},
		{"endpoint", `"policy": "cache_aware"`, `"response_header": "x-why", "ask_header": "x-ask", "ask_secret_env": "ASK"`, "it is not given the variable ASK"},
	} {
		text := example(t, c.example)
		if !strings.Contains(text, c.old) {
			t.Fatalf("%s lacks %q", c.example, c.old)
		}
		all := judge(t, strings.ReplaceAll(text, c.old, c.new))
		if finding.Worst(all) != finding.Broken || !strings.Contains(all[0].What, c.want) {
			t.Errorf("%s, %s: %+v, want %q", c.example, c.new, all, c.want)
		}
	}
	text := example(t, "gateways")
	first := strings.Index(text, "vm_id: warmroute")
	apart := text[:first] + "vm_id: another" + text[first+len("vm_id: warmroute"):]
	if all := judge(t, apart); finding.Worst(all) != finding.Broken || !strings.Contains(all[0].What, "its vm_id warmroute is none of a filter that routes") {
		t.Errorf("%+v", all)
	}
	text = strings.Replace(text, "x-gateway-destination-endpoint", "x-other", -1)
	if all := judge(t, text); finding.Worst(all) != finding.Broken || !strings.Contains(all[0].What+all[1].What, "lacks the override_host policy") {
		t.Errorf("%+v", all)
	}
	for _, file := range []string{"istio/gateways/with-wasmplugin/wasmplugin.yaml", "istio/gateways/with-envoyfilter/envoyfilter.yaml"} {
		text := read(t, root+file)
		if all := judge(t, text); finding.Worst(all) == finding.Broken {
			t.Errorf("%s: %+v", file, all)
		}
		if all := judge(t, strings.ReplaceAll(strings.ReplaceAll(text, "trust: mtls", "trust: secret"), `"trust": "mtls"`, `"trust": "secret"`)); finding.Worst(all) != finding.Broken || !strings.Contains(all[0].What, "WARMROUTE_PEERS_SECRET") {
			t.Errorf("%s: %+v", file, all)
		}
	}
}

// Of two WasmPlugins of one module, in one VM, the one that answers knows gateways as the other does.
func TestPluginsTrustAlike(t *testing.T) {
	const plugin = `
apiVersion: extensions.istio.io/v1alpha1
kind: WasmPlugin
metadata: {name: %s}
spec:
  url: oci://registry.example.com/warmroute:0.1.0
  vmConfig: {env: [{name: WARMROUTE_PEERS_SECRET, valueFrom: HOST}]}
  pluginConfig: %s
---
`
	for trust, want := range map[string]bool{"mtls": false, "secret": true} {
		all := judge(t, fmt.Sprintf(plugin, "warmroute", `{discovery: {cluster: c, admin_cluster: a}, steer: {via: property}, peers: {cluster: gateways, trust: `+trust+`}}`)+
			fmt.Sprintf(plugin, "warmroute-gateways", `{role: peers, peers: {trust: mtls}}`))
		found := false
		for _, f := range all {
			found = found || f.Level == finding.Broken && strings.Contains(f.What, "the filter that routes does otherwise")
		}
		if found != want {
			t.Errorf("%s: found %v, want %v: %+v", trust, found, want, all)
		}
	}
}

// Where gateways are known by their certificates, the listener and the cluster verify some.
func TestCertificatesAreVerified(t *testing.T) {
	text := read(t, root+"examples/envoy/gateways.yaml")
	text = strings.ReplaceAll(text, `{"role": "peers"}`, `{"role": "peers", "peers": {"trust": "mtls"}}`)
	const (
		listener = "  - name: news # for the other gateways alone: never where clients are\n"
		filters  = "    - filters:\n"
		cluster  = "    load_assignment:\n      cluster_name: gateways\n"
		verifies = "common_tls_context: {validation_context: {trusted_ca: {filename: ca.pem}}}"
	)
	demands := func(text, what string) string {
		from := strings.Index(text, listener)
		if from < 0 {
			t.Fatal("no listener for news")
		}
		at := from + strings.Index(text[from:], filters)
		return text[:at] + "    - transport_socket: {name: tls, typed_config: {\"@type\": DownstreamTlsContext, " + what + "}}\n      filters:\n" + text[at+len(filters):]
	}
	asks := strings.Replace(text, `{"cluster": "gateways"}`, `{"cluster": "gateways", "trust": "mtls"}`, 1)
	sure := strings.Replace(asks, cluster, "    transport_socket: {name: tls, typed_config: {\"@type\": UpstreamTlsContext, "+verifies+"}}\n"+cluster, 1)
	const (
		anybody = "common_tls_context: {validation_context: {trusted_ca: {filename: ca.pem}, trust_chain_verification: ACCEPT_UNTRUSTED}}"
		nobody  = "common_tls_context: {validation_context: {match_typed_subject_alt_names: [{san_type: URI, matcher: {exact: a}}]}}"
		bySDS   = "common_tls_context: {combined_validation_context: {default_validation_context: {}, validation_context_sds_secret_config: {name: ROOTCA}}}"
	)
	const unverified = "does not demand and verify any"
	for name, c := range map[string]struct{ text, want string }{
		"all in order":                 {demands(sure, "require_client_certificate: true, "+verifies), ""},
		"no TLS":                       {sure, unverified},
		"none demanded":                {demands(sure, verifies), unverified},
		"none verified":                {demands(sure, "require_client_certificate: true"), unverified},
		"an empty context":             {demands(sure, "require_client_certificate: true, common_tls_context: {validation_context: {}}"), unverified},
		"names alone":                  {demands(sure, "require_client_certificate: true, "+nobody), unverified},
		"any authority":                {demands(sure, "require_client_certificate: true, "+anybody), unverified},
		"by SDS":                       {demands(sure, "require_client_certificate: true, "+bySDS), ""},
		"a cluster that does not look": {demands(strings.Replace(sure, verifies, anybody, 1), "require_client_certificate: true, "+verifies), "the cluster gateways verifies none"},
		"any gateway's word":           {demands(asks, "require_client_certificate: true, "+verifies), "the cluster gateways verifies none"},
		"the other by secret":          {demands(text, "require_client_certificate: true, "+verifies), "the filter that routes does otherwise"},
	} {
		all := discovered(t, c.text)
		broken := finding.Worst(all) == finding.Broken
		if broken != (c.want != "") || broken && !strings.Contains(all[0].What, c.want) {
			t.Errorf("%s: %+v, want %q", name, all[0], c.want)
		}
	}
}

// Two filters that the module takes for one, before and after a change of its configuration.
func TestFiltersOfOneName(t *testing.T) {
	text := example(t, "endpoint")
	from := strings.Index(text, "  - name: llm\n")
	to := strings.Index(text, "  clusters:\n")
	if from < 0 || to < from {
		t.Fatal("the example has no listener llm before its clusters")
	}
	second := strings.Replace(strings.Replace(text[from:to], "name: llm", "name: second", 1), "port_value: 10000", "port_value: 10001", 1)
	two := func(second string) string { return text[:to] + second + text[to:] }
	const taken = "each is taken for the other's former one"
	for name, c := range map[string]struct {
		second string
		want   bool
	}{
		"one configuration": {second, false},
		"two":               {strings.Replace(second, "cache_aware", "prefix_hash", 1), true},
		"two of two names":  {strings.Replace(strings.Replace(second, "cache_aware", "prefix_hash", 1), "                name: warmroute", "                name: other", 1), false},
		"two of two VMs":    {strings.Replace(strings.Replace(second, "cache_aware", "prefix_hash", 1), "vm_id: warmroute", "vm_id: other", 1), false},
	} {
		found := false
		for _, f := range judge(t, two(c.second)) {
			found = found || f.Level == finding.Weak && strings.Contains(f.What, taken)
		}
		if found != c.want {
			t.Errorf("%s: found %v, want %v", name, found, c.want)
		}
	}
}
