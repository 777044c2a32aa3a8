//go:build e2e

package e2e

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"warmroute/hostsim/internal/finding"
)

// cachedTokens is what a replica says of its cache.
var cachedTokens = regexp.MustCompile(`"cached_tokens":\s*[1-9]`)

// By a property or a gate, as by the header, the data-parallel rank that is chosen gets the request: a prompt that comes again finds itself, whatever
// rank its client has named.
func TestRanksByPropertyAndGate(t *testing.T) {
	for _, name := range []string{"property", "gate"} {
		t.Run(name, func(t *testing.T) {
			f := rankedPool(t, 3)
			opt := options("property", f, map[string]any{"scrape": map[string]any{"cluster": "vllm", "interval": "500ms"}})
			if name == "gate" {
				opt.Edit = gatesOfEnvoyGateway(t)
			}
			s := inFront(t, opt, f)
			s.learnsRanks(t, f)
			used := map[string]bool{}
			for turn := range 3 {
				for n := range 10 {
					r := s.post(t, "/v1/chat/completions", chat(story(n), "Hello.", nil), "x-data-parallel-rank", "77")
					used[r.decision["endpoint"]] = true
					if r.status != 200 || !strings.Contains(r.decision["endpoint"], "#") || turn > 0 && !cachedTokens.MatchString(r.body) {
						t.Errorf("turn %d of prompt %d: status %d, %v, %s; want tokens from the cache", turn, n, r.status, r.decision, r.body)
					}
				}
			}
			if len(used) < 4 {
				t.Errorf("of 12 ranks %d had a request", len(used))
			}
			eventually(t, "the servers' metrics are read", func() bool {
				return s.stat(t, fmt.Sprintf("warmroute_last_scrape_timestamp_seconds{endpoint=%q", opt.Replicas[0]+"#0")) > 0
			})
			if all := s.examine(t); finding.Worst(all) == finding.Broken || strings.Contains(fmt.Sprintf("%+v", all), "data_parallel_ranks is") {
				t.Errorf("%+v", all)
			}
		})
	}
}
