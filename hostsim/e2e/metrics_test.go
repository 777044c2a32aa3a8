//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// promised is what docs/metrics.md says of a metric.
type promised struct {
	kind   string
	labels []string
}

var metricsRow = regexp.MustCompile("(?m)^\\| `(warmroute_[a-z_]+)` \\| ([a-z]+) \\| ([a-z, ]*) \\|")

func promises(t *testing.T) map[string]promised {
	t.Helper()
	text, err := os.ReadFile(root + "docs/metrics.md")
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]promised{}
	for _, row := range metricsRow.FindAllStringSubmatch(string(text), -1) {
		all[row[1]] = promised{row[2], strings.FieldsFunc(row[3], func(r rune) bool { return r == ',' || r == ' ' })}
	}
	if len(all) < 15 {
		t.Fatalf("docs/metrics.md names %d metrics", len(all))
	}
	return all
}

var (
	typeLine   = regexp.MustCompile(`^# TYPE (\S+) (\S+)`)
	sampleLine = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{(.*)\})? (\S+)\s*$`)
	labelPair  = regexp.MustCompile(`([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\.)*)"`)
)

// asPromised holds all of the module's metrics that Envoy shows against docs/metrics.md, and returns the names seen.
func (s *stack) asPromised(t *testing.T) (seen map[string]bool) {
	t.Helper()
	text, err := s.Get("/stats/prometheus")
	if err != nil {
		t.Fatal(err)
	}
	promises, kinds := promises(t), map[string]string{}
	seen = map[string]bool{}
	for line := range strings.Lines(text) {
		if !strings.Contains(line, "warmroute") {
			continue
		}
		if m := typeLine.FindStringSubmatch(line); m != nil {
			kinds[m[1]] = m[2]
			continue
		}
		m := sampleLine.FindStringSubmatch(line)
		if m == nil {
			t.Errorf("no sample: %q", line)
			continue
		}
		if strings.Contains(m[1], "wasm_envoy") || strings.HasPrefix(m[1], "envoy_") {
			continue // Envoy's own, of the VM of that name
		}
		name := m[1]
		for _, part := range []string{"_bucket", "_sum", "_count"} {
			if base := strings.TrimSuffix(name, part); promises[base].kind == "histogram" {
				name = base
			}
		}
		promise, known := promises[name]
		if !known || kinds[name] != promise.kind {
			t.Errorf("%s is a %s here, and docs/metrics.md says %q", name, kinds[name], promise.kind)
		}
		seen[name] = true
		for _, pair := range labelPair.FindAllStringSubmatch(m[2], -1) {
			if pair[1] != "le" && !slices.Contains(promise.labels, pair[1]) {
				t.Errorf("%s has a label %s, which docs/metrics.md does not say: %q", name, pair[1], line)
			}
			if strings.Contains(pair[2], "=.=") || strings.Contains(pair[2], ";.;") {
				t.Errorf("the labels are not told apart: %q", line)
			}
		}
	}
	return seen
}

// keepsPromises says whether the metrics that docs/metrics.md promises, of those wanted, are there, and all are as promised.
func (s *stack) keepsPromises(t *testing.T, wanted func(name string) bool) {
	t.Helper()
	seen := s.asPromised(t)
	for name := range promises(t) {
		if !seen[name] && wanted(name) {
			t.Errorf("%s is promised, and not there", name)
		}
	}
}

// Names, types and labels are those of docs/metrics.md, and what they add up to is what was sent.
func TestMetrics(t *testing.T) {
	t.Parallel()
	began := time.Now()
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Concurrency = 2
		o.Plugin = map[string]any{"policy": "prefix_hash", "shadow": "expected_ttft"}
	})
	const chats, streams, broken, gets = 24, 5, 3, 4
	var prompt, cached float64
	for i := range chats {
		r := s.post(t, "/v1/chat/completions", chat(story(i%4), fmt.Sprint("Question ", i), nil), "x-warmroute-cluster", "forged")
		p, c := usage(t, r.body)
		prompt, cached = prompt+p, cached+c
	}
	body := chat(story(9), "Stream.", map[string]any{"stream": true, "stream_options": map[string]bool{"include_usage": true}})
	for range streams {
		r := s.post(t, "/v1/chat/completions", body)
		for line := range strings.Lines(r.body) {
			if strings.Contains(line, `"prompt_tokens"`) {
				p, c := usage(t, strings.TrimPrefix(line, "data: "))
				prompt, cached = prompt+p, cached+c
			}
		}
	}
	for range broken {
		s.post(t, "/v1/chat/completions", `{"model":`)
	}
	for range gets {
		response, err := http.Get(s.URL + "/v1/models")
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
	}
	if prompt == 0 || cached == 0 {
		t.Fatalf("the replicas told of %v prompt tokens, %v cached", prompt, cached)
	}
	const steered = chats + streams + broken
	for _, c := range []struct {
		prefix string
		want   float64
	}{
		{"warmroute_requests_total{", steered},
		{`warmroute_answers_total{outcome="answered"`, steered},
		{"warmroute_answers_total{", steered},
		{"warmroute_passed_total{", gets},
		{`warmroute_passed_total{reason="not_post"`, gets},
		{"warmroute_removed_headers_total", chats},
		{"warmroute_prompt_tokens_total{", prompt},
		{"warmroute_cached_tokens_total{", cached},
		{"warmroute_shadow_decisions_total{", steered},
		{"warmroute_endpoints{", 3}, {"warmroute_endpoints_dropped{", 0},
		{"warmroute_in_flight{", 0},
		{"warmroute_decision_microseconds_count{", steered},
		{"warmroute_ttft_milliseconds_count{", streams},
	} {
		eventually(t, fmt.Sprintf("%s… is %v", c.prefix, c.want), func() bool { return s.stat(t, c.prefix) == c.want })
	}
	// On a busy machine a replica may stall for a while, and then others take its prompts.
	if home, byLoad := s.stat(t, `warmroute_requests_total{reason="home"`), s.stat(t, `warmroute_requests_total{reason="by_load"`); home < (chats+streams)/2 || byLoad < broken {
		t.Errorf("%v requests at their home and %v by load, of %d with a prompt and %d broken ones", home, byLoad, chats+streams, broken)
	}
	// What was expected is an estimate of what was found, of the same requests.
	if expected := s.stat(t, "warmroute_expected_cached_tokens_total{"); expected < cached/2 || expected > cached*2 {
		t.Errorf("expected cached tokens: %v, found %v", expected, cached)
	}
	if took := s.stat(t, "warmroute_decision_microseconds_sum{"); took <= 0 || took > 1e6*steered {
		t.Errorf("%d decisions took %v µs", steered, took)
	}
	for _, r := range s.fleet.Replicas {
		name := fmt.Sprintf("warmroute_last_scrape_timestamp_seconds{endpoint=%q", r.Addr())
		eventually(t, name+" is a time since the start", func() bool {
			at := s.stat(t, name)
			return at >= float64(began.Unix()) && at <= float64(time.Now().Unix())
		})
	}
	s.keepsPromises(t, func(name string) bool { // no scrape has failed and no endpoint; there is one gateway, one zone, no experiment, and nothing is held
		return !strings.HasSuffix(name, "scrape_errors_total") && name != "warmroute_endpoint_down_since_timestamp_seconds" && name != "warmroute_cross_zone_total" && name != "warmroute_unlisted_model_total" && !strings.HasPrefix(name, "warmroute_peer") && !strings.HasPrefix(name, "warmroute_experiment") &&
			!strings.HasPrefix(name, "warmroute_held")
	})
}

// usage is what an answer says of its prompt.
func usage(t *testing.T, body string) (prompt, cached float64) {
	t.Helper()
	var answer struct {
		Usage struct {
			Prompt  float64 `json:"prompt_tokens"`
			Details struct {
				Cached float64 `json:"cached_tokens"`
			} `json:"prompt_tokens_details"`
		}
	}
	if err := json.Unmarshal([]byte(body), &answer); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return answer.Usage.Prompt, answer.Usage.Details.Cached
}

// Endpoints beyond the bound are counted as one, and no request is lost by it.
func TestMetricsHaveABound(t *testing.T) {
	t.Parallel()
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Plugin = map[string]any{"policy": "round_robin", "metric_endpoints": 1}
	})
	for i := range 12 {
		s.post(t, "/v1/chat/completions", chat(story(i), "Who?", nil))
	}
	first := strconv.Quote(s.fleet.Replicas[0].Addr())
	for prefix, want := range map[string]float64{
		`warmroute_requests_total{reason="round_robin",endpoint=` + first: 4,
		`warmroute_requests_total{reason="round_robin",endpoint="other"`:  8,
		"warmroute_requests_total{":                                       12,
		"warmroute_endpoints_dropped{":                                    2,
	} {
		eventually(t, fmt.Sprintf("%s is %v", prefix, want), func() bool { return s.stat(t, prefix) == want })
	}
	s.asPromised(t)
}
