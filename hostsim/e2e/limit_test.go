//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

// Each route has its own limit: what one cannot hold says nothing of what another can. It is learned anew once the module's configuration has changed.
func TestEachRouteHasItsLimit(t *testing.T) {
	f := &filterFile{file: filepath.Join(t.TempDir(), "filter.json")}
	opt := options("endpoint", &fleet.Fleet{}, map[string]any{"scrape": map[string]any{"path": ""}})
	opt.Edit = func(doc any) {
		for _, listener := range gateway.Find(doc, "per_connection_buffer_limit_bytes") {
			listener["per_connection_buffer_limit_bytes"] = 8 << 10
		}
		for _, host := range gateway.Find(doc, "request_body_buffer_limit") {
			delete(host, "request_body_buffer_limit")
			routes := host["routes"].([]any)
			last := routes[len(routes)-1].(map[string]any)
			short := maps.Clone(last)
			short["name"], short["match"] = "short", map[string]any{"path": "/v1/completions"}
			last["name"], last["request_body_buffer_limit"] = "long", 4<<20
			host["routes"] = append(append(routes[:len(routes)-1:len(routes)-1], short), last)
		}
		f.serve(doc)
		f.write(t, false)
	}
	s, _ := launchBefore(t, opt, http.HandlerFunc(sink))
	body := chat(story(1), strings.Repeat("Word ", 60_000), nil)
	long := func() reply { return s.post(t, "/v1/chat/completions", body) }
	short := func() reply {
		return s.post(t, "/v1/completions", `{"model":"m","prompt":"`+strings.Repeat("Word ", 60_000)+`"}`)
	}
	for round := range 2 {
		long()
		if first, next := short(), short(); first.status != 413 || next.status != 200 || next.decision["blocks"] == "" {
			t.Errorf("round %d: the short route answers %d, then %d; decided %v", round, first.status, next.status, next.decision)
		}
		for range 4 {
			if r := long(); r.status != 200 || r.decision["blocks"] == "" || r.decision["matched"] != r.decision["blocks"] {
				t.Errorf("round %d: the long route answers %d; decided %v, want all blocks matched", round, r.status, r.decision)
			}
		}
		done := s.ecds(t, "config_reload")
		f.write(t, false)
		eventually(t, "Envoy has read the update", func() bool { return s.ecds(t, "config_reload") > done })
		time.Sleep(100 * time.Millisecond)
	}
	s.atRest(t)
}
