package checks

import (
	"fmt"
	"slices"

	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// needs judges what a module asks of the Envoy that it runs in: variables of the environment, and clusters beside those of replicas.
func (s setup) needs(f *manifest.Filter, c *config.Config) (out []finding.Finding) {
	say := func(what, cure string) { out = append(out, finding.Broken.At(f.Where, what, cure)) }
	shares := c.Role == config.RolePeers || c.Peers.Cluster != ""
	var secrets []string
	if shares && c.Peers.Trust == config.TrustSecret {
		secrets = append(secrets, c.Peers.SecretEnv)
	}
	if c.AskSecretEnv != "" {
		secrets = append(secrets, c.AskSecretEnv)
	}
	for _, name := range secrets {
		if (f.Wasm != nil || f.Spec != nil) && !slices.Contains(f.Environment(), name) {
			say("it is not given the variable "+name+", and does not start without it", fmt.Sprintf("host_env_keys: [%s] in vm_config.environment_variables; vmConfig: {env: [{name: %[1]s, valueFrom: HOST}]} in a WasmPlugin; env: {hostKeys: [%[1]s]} in an EnvoyExtensionPolicy", name))
		}
	}
	if c.Role == config.RolePeers {
		id := tree.Str(f.Wasm, "vm_config", "vm_id")
		if id != "" && s.elsewhere(id) {
			say("its vm_id "+id+" is none of a filter that routes: it has nothing to tell", "the same vm_config in both")
		} else if s.trustOtherwise(f, c) {
			say("it knows gateways by "+c.Peers.Trust.String()+" (peers.trust), and the filter that routes does otherwise: it answers none", "the same peers.trust in both")
		}
		return out
	}
	if !s.Envoy {
		return out
	}
	if other := s.takenFor(f); other != nil {
		out = append(out, finding.Weak.At(f.Where, "it has the vm_id and the name of "+other.Where+" and another configuration: each is taken for the other's former one, stands by after ten seconds without a request, and forgets what it knew",
			"another name in the config of one of them, beside vm_config"))
	}
	if other := s.apartFrom(f, c); other != nil {
		also := ""
		if c.Peers.Cluster != "" {
			also = ", and one of them has no news of other gateways"
		}
		out = append(out, finding.Weak.At(f.Where, "it routes in the same VM as "+other.Where+", to other endpoints: neither counts the other's load, and their gauges take turns"+also,
			"one filter with pools, in all listeners; or a vm_id for each"))
	}
	lists := c.Peers.Cluster != "" && len(c.Peers.Addresses) == 0
	for _, p := range manifest.PoolsOf(c) {
		lists = lists || p.Discovery.Cluster != ""
	}
	if name := c.Discovery.AdminCluster; lists && s.Whole && s.Cluster(name) == nil { // else it may be in the bootstrap
		say("there is no cluster "+name+", which is to lead to the admin interface: nothing is discovered", "discovery: {admin_cluster: NAME}, and clusters: [{name: NAME, …}] with the admin interface's address")
	}
	if name := c.Peers.Cluster; name != "" {
		switch gateways := s.Cluster(name); {
		case gateways == nil:
			say("there is no cluster "+name+" of the other gateways (peers.cluster): nothing is shared", "clusters: [{name: "+name+", …}]")
		case manifest.OverrideHeader(gateways["load_balancing_policy"]) != config.EndpointHeader:
			say("the cluster "+name+" of the other gateways lacks the override_host policy by the header "+config.EndpointHeader+": any gateway is asked in place of the one meant", "the cluster gateways of examples/envoy/gateways.yaml")
		case c.Peers.Trust == config.TrustMTLS:
			const cure = "transport_socket: an UpstreamTlsContext with a certificate of its own and a validation_context that names the gateways' (trusted_ca, match_typed_subject_alt_names)"
			if all, named := verified(gateways); !all {
				say("gateways are known by their certificates (peers.trust: mtls), and the cluster "+name+" verifies none: whoever answers there is believed", cure)
			} else if !named {
				out = append(out, finding.Weak.At(f.Where, "the cluster "+name+" of the other gateways takes the certificate of anybody whom the same authority knows", cure))
			}
		}
	}
	return out
}

// elsewhere says whether filters that route are there, and all in VMs of other names.
func (s setup) elsewhere(id string) bool {
	routing := false
	for f := range s.routers() {
		switch tree.Str(f.Wasm, "vm_config", "vm_id") {
		case "":
		case id:
			return false
		default:
			routing = true
		}
	}
	return routing
}

// trustOtherwise says whether filters that may be in f's VM share news, and none of them knows gateways as f does.
func (s setup) trustOtherwise(f *manifest.Filter, c *config.Config) (otherwise bool) {
	for other, its := range s.routers() {
		if its.Peers.Cluster == "" || vmOf(other) != vmOf(f) {
			continue
		}
		if its.Peers.Trust == c.Peers.Trust {
			return false
		}
		otherwise = true
	}
	return otherwise
}

// vmOf tells VMs apart as far as a filter's manifest does: by the vm_id, or by a WasmPlugin's module.
func vmOf(f *manifest.Filter) string {
	return tree.Str(f.Wasm, "vm_config", "vm_id") + tree.Str(f.Spec, "url")
}
