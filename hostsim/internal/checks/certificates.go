package checks

import (
	"warmroute/hostsim/internal/finding"
	"warmroute/hostsim/internal/manifest"
	"warmroute/hostsim/internal/tree"
	"warmroute/plugin/config"
)

// certificates judges the listeners where other gateways are known by their certificates: what a listener does not verify, anybody can make.
func (s setup) certificates() (out []finding.Finding) {
	for _, l := range s.Listeners {
		chains := tree.Items(l, "filter_chains")
		if chain := tree.Member(l, "default_filter_chain"); chain != nil {
			chains = append(chains, chain)
		}
		port := tree.Number(l, "address", "socket_address", "port_value")
		for _, chain := range chains {
			tls := tree.Member(chain, "transport_socket", "typed_config")
			if answersByCertificate(chain, port) && (tree.Member(tls, "require_client_certificate") != true || !verifies(tls)) {
				out = append(out, finding.Broken.At("listener "+tree.Str(l, "name"), "gateways are known there by their certificates (peers.trust: mtls), and it does not demand and verify any: who makes one is answered like a gateway, or nobody is",
					"transport_socket: a DownstreamTlsContext with require_client_certificate: true and a validation_context"))
			}
		}
	}
	return out
}

// answersByCertificate says whether a filter in a chain, of a listener at this port, answers other gateways that it knows so.
func answersByCertificate(chain any, port float64) (answers bool) {
	tree.Walk(chain, "", func(_ string, m map[string]any) bool {
		c, _ := m["config"].(map[string]any)
		if !tree.Typed(m, "filters.http.wasm.v3.Wasm") || c == nil || !manifest.IsOurs(c) {
			return true
		}
		parsed, err := config.Parse(manifest.FromWasm("", c).JSON)
		at := err == nil && (parsed.Role == config.RolePeers || port > 0 && port == float64(parsed.Peers.ListenerPort))
		answers = answers || at && parsed.Peers.Trust == config.TrustMTLS
		return false
	})
	return answers
}

// verifies says whether a TLS context has whom to trust, or one that is somewhere in a tree: Istio's clusters have several, for tunnels too.
func verifies(tls any) (does bool) {
	tree.Walk(tls, "", func(_ string, m map[string]any) bool {
		for _, by := range []string{"validation_context", "combined_validation_context", "validation_context_sds_secret_config", "validation_context_certificate_provider_instance"} {
			does = does || tree.Member(m, "common_tls_context", by) != nil
		}
		return !does
	})
	return does
}
