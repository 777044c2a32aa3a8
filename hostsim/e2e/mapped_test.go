//go:build e2e

package e2e

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// Whatever status local_reply_config gives to Envoy's own replies, a replica that is dead is left as fast as without, seems to answer nothing, and
// what Envoy cannot hold is learned.
func TestMappedReplies(t *testing.T) {
	t.Parallel()
	for _, status := range []int{429, 200} {
		t.Run(fmt.Sprint(status), func(t *testing.T) {
			s, list := launchReplicas(t, "endpoint", 3, false, func(o *gateway.Options) {
				o.Concurrency = 1
				o.Edit = func(doc any) {
					for _, manager := range gateway.Find(doc, "http_filters") {
						maps.Copy(manager, decoded(fmt.Sprintf(`{"local_reply_config":{"mappers":[{"filter":{"status_code_filter":{"comparison":
							{"op":"GE","value":{"default_value":400,"runtime_key":"none"}}}},"status_code":%d}],"body_format":{"json_format":{"error":"%%LOCAL_REPLY_BODY%%"}}}}`, status)))
					}
					for _, route := range gateway.Find(doc, "retry_policy") {
						delete(route, "retry_policy")
					}
					for _, host := range gateway.Find(doc, "request_body_buffer_limit") {
						delete(host, "request_body_buffer_limit")
					}
				}
			})
			own, large := 0, 0
			ask := func(n int, question string) {
				if r := s.post(t, "/v1/chat/completions", chat(story(n), question, nil)); strings.HasPrefix(r.body, `{"error":`) {
					if own++; r.status != status {
						t.Errorf("status %d of Envoy's own, want %d", r.status, status)
					}
					if strings.Contains(r.body, "Payload Too Large") {
						large++
					}
				}
			}
			for n := range 20 {
				ask(n%10, fmt.Sprint("Turn ", n))
			}
			if own != 0 {
				t.Errorf("%d of 20 requests have a reply of Envoy's own before the replica dies", own)
			}
			answered := `warmroute_answers_total{outcome="answered",endpoint="` + list[0].address
			eventually(t, "all are counted", func() bool { return s.stat(t, "warmroute_answers_total") == 20 })
			before := s.stat(t, answered)
			list[0].kill()
			for n := range 40 {
				ask(n%10, fmt.Sprint("Turn ", n))
			}
			if own == 0 || own > 8 {
				t.Errorf("%d of 40 requests go to the dead replica, want a few", own)
			}
			eventually(t, "it is down", func() bool { return s.stat(t, "warmroute_endpoints_down{") == 1 })
			if n := s.stat(t, answered); n != before {
				t.Errorf("the dead replica seems to have answered %v requests", n-before)
			}
			for n := range 8 {
				ask(n%4, strings.Repeat(fmt.Sprint("Word ", n%4, ", "), 200_000))
			}
			if large != 1 {
				t.Errorf("%d of 8 long requests have the reply that Envoy gives in place of 413, want the first", large)
			}
			s.atRest(t)
		})
	}
}
