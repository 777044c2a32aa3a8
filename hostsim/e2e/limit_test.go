//go:build e2e

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"warmroute/hostsim/internal/fleet"
	"warmroute/hostsim/internal/gateway"
)

// Where Envoy can hold less than scan_bytes, each worker learns that from one request, and no other is lost: it is routed by its prompt.
func TestProxyHoldsLittle(t *testing.T) {
	for _, limit := range []int{32 << 10, 1 << 20} { // some gateways' default, and Envoy's
		opt := options("endpoint", &fleet.Fleet{}, map[string]any{"policy": "prefix_hash"})
		opt.Edit = func(doc any) {
			for _, host := range gateway.Find(doc, "request_body_buffer_limit") {
				delete(host, "request_body_buffer_limit")
			}
			for _, listener := range gateway.Find(doc, "per_connection_buffer_limit_bytes") {
				listener["per_connection_buffer_limit_bytes"] = limit
			}
		}
		s, _ := launchBefore(t, opt, http.HandlerFunc(sink))
		lost := 0
		for n := range 40 {
			body := chat(story(n%4), strings.Repeat(fmt.Sprint("Word ", n%4, ", "), 3_000<<(n%8)), nil)
			r := s.post(t, "/v1/chat/completions", body)
			if r.status == 413 {
				lost++
				continue
			}
			if r.status != 200 || r.header.Get("x-received") != whole(body) || r.decision["blocks"] == "" {
				t.Errorf("limit %d, %d bytes: status %d, the replica received %q; decided %v", limit, len(body), r.status, r.header.Get("x-received"), r.decision)
			}
		}
		if lost != 1 {
			t.Errorf("limit %d: %d of 40 requests were answered 413, want the first long one", limit, lost)
		}
		s.atRest(t)
	}
}
