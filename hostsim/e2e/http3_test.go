//go:build e2e

package e2e

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// overHTTP3 makes the example's listener one of HTTP/3, behind a plain one from which requests come to it.
func overHTTP3(t *testing.T) func(doc any) {
	cert, key := selfSigned(t)
	port, err := gateway.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	decode := func(format string, args ...any) (v any) {
		if err := json.Unmarshal(fmt.Appendf(nil, format, args...), &v); err != nil {
			t.Fatal(err)
		}
		return v
	}
	return func(doc any) {
		static := doc.(map[string]any)["static_resources"].(map[string]any)
		quic := static["listeners"].([]any)[0].(map[string]any)
		quic["address"] = decode(`{"socket_address":{"protocol":"UDP","address":"127.0.0.1","port_value":%d}}`, port)
		quic["udp_listener_config"] = decode(`{"quic_options":{},"downstream_socket_config":{"prefer_gro":false}}`)
		chain := quic["filter_chains"].([]any)[0].(map[string]any)
		chain["transport_socket"] = decode(`{"name":"envoy.transport_sockets.quic","typed_config":{"@type":"type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicDownstreamTransport",
			"downstream_tls_context":{"common_tls_context":{"tls_certificates":[{"certificate_chain":{"inline_string":%q},"private_key":{"inline_string":%q}}]}}}}`, cert, key)
		manager := chain["filters"].([]any)[0].(map[string]any)["typed_config"].(map[string]any)
		manager["codec_type"] = "HTTP3"
		manager["http3_protocol_options"] = map[string]any{}
		front := decode(`{"name":"front","address":{"socket_address":{"address":"127.0.0.1","port_value":0}},"filter_chains":[{"filters":[{"name":"envoy.filters.network.http_connection_manager",
			"typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager","stat_prefix":"front",
			"route_config":{"virtual_hosts":[{"name":"front","domains":["*"],"routes":[{"match":{"prefix":"/"},"route":{"cluster":"http3","timeout":"0s"}}]}]},
			"http_filters":[{"name":"envoy.filters.http.router","typed_config":{"@type":"type.googleapis.com/envoy.extensions.filters.http.router.v3.Router"}}]}}]}]}`)
		static["listeners"] = append([]any{front}, static["listeners"].([]any)...)
		cluster := decode(`{"name":"http3","type":"STATIC","connect_timeout":"10s","load_assignment":{"cluster_name":"http3","endpoints":[{"lb_endpoints":[{"endpoint":{"address":{"socket_address":{"address":"127.0.0.1","port_value":%d}}}}]}]},
			"typed_extension_protocol_options":{"envoy.extensions.upstreams.http.v3.HttpProtocolOptions":{"@type":"type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions","explicit_http_config":{"http3_protocol_options":{}}}},
			"transport_socket":{"name":"envoy.transport_sockets.quic","typed_config":{"@type":"type.googleapis.com/envoy.extensions.transport_sockets.quic.v3.QuicUpstreamTransport",
			"upstream_tls_context":{"sni":"localhost","common_tls_context":{"validation_context":{"trusted_ca":{"inline_string":%q}}}}}}}`, port, cert)
		static["clusters"] = append(static["clusters"].([]any), cluster)
	}
}

// selfSigned is a certificate of localhost and its key, as PEM.
func selfSigned(t *testing.T) (cert, key string) {
	t.Helper()
	return inPEM(t, signed(t, &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "localhost"}, DNSNames: []string{"localhost"}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign}, nil))
}

// A stream of HTTP/3 ends without being logged: Envoy 1.40 logs it when the client has acknowledged all, and by then the module knows it
// no more. One that waited, and that Envoy has answered itself, is counted as waiting no more.
func TestHTTP3(t *testing.T) {
	edit := overHTTP3(t)
	s, usage, crowd := launchScarce(t, "endpoint", func(doc any) {
		edit(doc)
		for _, manager := range gateway.Find(doc, "http3_protocol_options") {
			if manager["stat_prefix"] == "llm" {
				manager["stream_idle_timeout"] = "2s"
			}
		}
	})
	crowd()
	waiting := func() float64 { return s.stat(t, "warmroute_held{") }
	sent := 0
	eventually(t, "a request waits until Envoy answers it", func() bool {
		sent++
		return s.post(t, "/v1/chat/completions", chat(story(1000+sent), "Hello.", streamed)).status == http.StatusGatewayTimeout
	})
	eventually(t, "nobody waits", func() bool { return waiting() == 0 })
	if n := s.stat(t, `warmroute_held_total{outcome="left"`); n < 1 {
		t.Errorf("%v requests have left", n)
	}
	usage.Store(5)
	eventually(t, "prompts are read", func() bool {
		sent++
		return s.post(t, "/v1/chat/completions", chat(story(sent/2), "Hello.", nil)).status == http.StatusOK
	})
	eventually(t, "nothing is in flight at rest", func() bool { return s.stat(t, "warmroute_in_flight") == 0 })
}
