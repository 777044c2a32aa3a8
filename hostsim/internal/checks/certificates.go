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

// verifies says whether a TLS context verifies certificates: by what its validation context has, or what comes by SDS.
func verifies(tls any) bool {
	common := tree.Member(tls, "common_tls_context")
	own := tree.Member(common, "validation_context")
	combined := tree.Member(common, "combined_validation_context")
	if own == nil {
		own = tree.Member(combined, "default_validation_context")
	}
	if tree.Str(own, "trust_chain_verification") == "ACCEPT_UNTRUSTED" {
		return false
	}
	for _, by := range []string{"trusted_ca", "ca_certificate_provider_instance", "custom_validator_config", "verify_certificate_hash", "verify_certificate_spki"} {
		if set(tree.Member(own, by)) {
			return true
		}
	}
	for _, in := range []any{common, combined} {
		if set(tree.Member(in, "validation_context_sds_secret_config")) || set(tree.Member(in, "validation_context_certificate_provider_instance")) {
			return true
		}
	}
	return false
}

// set says whether a message or a list has something in it.
func set(v any) bool {
	m, _ := v.(map[string]any)
	list, _ := v.([]any)
	return len(m)+len(list) > 0
}

// verified says whether all TLS contexts of a cluster, of which there is one, verify the server, and whether they say whose certificate it is to be.
func verified(cluster map[string]any) (all, named bool) {
	contexts := 0
	all = true
	tree.Walk(cluster, "", func(_ string, m map[string]any) bool {
		if m["common_tls_context"] != nil {
			contexts++
			all = all && verifies(m)
		}
		named = named || set(m["match_typed_subject_alt_names"]) || set(m["match_subject_alt_names"])
		return true
	})
	return all && contexts > 0, named
}
