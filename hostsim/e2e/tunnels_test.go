//go:build e2e

package e2e

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// typed is an extension of Envoy of that name, and its configuration of that type.
func typed(name, kind string, more map[string]any) map[string]any {
	config := map[string]any{"@type": "type.googleapis.com/" + kind}
	for member, value := range more {
		config[member] = value
	}
	return map[string]any{"name": name, "typed_config": config}
}

// tunnels makes the hosts of the cluster vllm reachable through an internal listener of Envoy alone, as pods of Istio's ambient mode are: there
// with HTTP CONNECT, here by TCP.
func tunnels(doc any) {
	const metadata = "envoy.filters.listener.original_dst"
	root := doc.(map[string]any)
	root["bootstrap_extensions"] = []any{typed("envoy.bootstrap.internal_listener", "envoy.extensions.bootstrap.internal_listener.v3.InternalListener", nil)}
	static := root["static_resources"].(map[string]any)
	for _, c := range gateway.Find(static["clusters"], "load_assignment") {
		if c["name"] != "vllm" {
			continue
		}
		for _, host := range gateway.Find(c, "endpoint") {
			endpoint := host["endpoint"].(map[string]any)
			socket := endpoint["address"].(map[string]any)["socket_address"].(map[string]any)
			address := fmt.Sprintf("%s:%.0f", socket["address"], socket["port_value"])
			endpoint["address"] = map[string]any{"envoy_internal_address": map[string]any{"server_listener_name": "connect_originate", "endpoint_id": address}}
			host["metadata"] = map[string]any{"filter_metadata": map[string]any{metadata: map[string]any{"local": address}}}
		}
		c["transport_socket"] = typed("internal", "envoy.extensions.transport_sockets.internal_upstream.v3.InternalUpstreamTransport", map[string]any{
			"passthrough_metadata": []any{map[string]any{"name": metadata, "kind": map[string]any{"host": map[string]any{}}}},
			"transport_socket":     typed("raw", "envoy.extensions.transport_sockets.raw_buffer.v3.RawBuffer", nil),
		})
	}
	static["clusters"] = append(static["clusters"].([]any), map[string]any{
		"name": "connect_originate", "type": "ORIGINAL_DST", "lb_policy": "CLUSTER_PROVIDED", "connect_timeout": "1s"})
	static["listeners"] = append(static["listeners"].([]any), map[string]any{
		"name": "connect_originate", "internal_listener": map[string]any{},
		"listener_filters": []any{typed(metadata, "envoy.extensions.filters.listener.original_dst.v3.OriginalDst", nil)},
		"filter_chains": []any{map[string]any{"filters": []any{typed("tcp", "envoy.extensions.filters.network.tcp_proxy.v3.TcpProxy",
			map[string]any{"stat_prefix": "connect_originate", "cluster": "connect_originate"})}}},
	})
}

// Replicas behind tunnels are endpoints like others: discovered, read, steered to, counted at their own addresses, and left when they are gone.
func TestTunnels(t *testing.T) {
	t.Parallel()
	s := launch(t, "discovery", func(o *gateway.Options) {
		o.Plugin = map[string]any{"policy": "prefix_key", "scrape": map[string]any{"interval": "200ms"}}
		o.Edit = tunnels
	})
	s.steered(t, 3)
	s.samePrefix(t)
	body := chat(story(1), "Who?", nil)
	home := s.post(t, "/v1/chat/completions", body)
	for _, r := range s.fleet.Replicas {
		if got := s.post(t, "/v1/chat/completions", body, "x-gateway-destination-endpoint", "envoy://connect_originate/"+r.Addr()); got.replica != home.replica {
			t.Errorf("with a header that names %s: got %s, want %s", r.Name(), got.replica, home.replica)
		}
	}
	eventually(t, "metrics of all have been read", func() bool {
		for _, r := range s.fleet.Replicas {
			if s.stat(t, `warmroute_last_scrape_timestamp_seconds{endpoint="`+r.Addr()+`"`) == 0 {
				return false
			}
		}
		return true
	})
	for _, r := range s.fleet.Replicas {
		if r.Name() == home.replica {
			r.Close()
		}
	}
	next, _, _ := strings.Cut(home.decision["next"], ",")
	for i := range 12 {
		r := s.post(t, "/v1/chat/completions", body)
		if r.status != 200 || r.replica == home.replica || s.address(t, r.replica) != next {
			t.Errorf("request %d after %s is gone: status %d by %s, decided %v; want %s", i, home.replica, r.status, r.replica, r.decision, next)
		}
	}
	s.asPromised(t)
}
