//go:build e2e

package e2e

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	commonv1 "go.opentelemetry.io/proto/otlp/common/v1"
	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"warmroute/hostsim/internal/gateway"
)

// spans receives OTLP over HTTP and keeps the attributes of each span.
type spans struct {
	*httptest.Server
	mu  sync.Mutex
	all []map[string]any
}

func receiveSpans(t *testing.T) *spans {
	t.Helper()
	s := &spans{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data tracev1.TracesData // the same message as an ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil || r.URL.Path != "/v1/traces" {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		for _, resource := range data.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					attributes := map[string]any{}
					for _, a := range span.Attributes {
						switch v := a.Value.Value.(type) {
						case *commonv1.AnyValue_StringValue:
							attributes[a.Key] = v.StringValue
						case *commonv1.AnyValue_IntValue:
							attributes[a.Key] = v.IntValue
						}
					}
					s.all = append(s.all, attributes)
				}
			}
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// of is the attributes of the span of a request, by the end of its id, as Envoy writes its sampling into the beginning; nil: it has not come.
func (s *spans) of(id string) map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.all {
		if of, _ := a["guid:x-request-id"].(string); strings.HasSuffix(of, id) {
			return a
		}
	}
	return nil
}

// The spans of a stock Envoy say how requests were routed and what the replicas found, and have no text of a prompt.
func TestTracing(t *testing.T) {
	t.Parallel()
	collector := receiveSpans(t)
	s := launch(t, "tracing", func(o *gateway.Options) {
		o.Edit = func(doc any) {
			at := strings.TrimPrefix(collector.URL, "http://127.0.0.1:")
			for _, socket := range gateway.Find(doc, "port_value") {
				if fmt.Sprint(socket["port_value"]) == "4318" {
					socket["port_value"] = at
				}
			}
			for _, sampling := range gateway.Find(doc, "random_sampling") {
				sampling["random_sampling"] = map[string]any{"value": 100}
			}
			for _, manager := range gateway.Find(doc, "use_remote_address") {
				manager["preserve_external_request_id"] = true // by which the test finds the spans
			}
		}
	})
	for i, reason := range []string{"by_load", "match"} {
		id := fmt.Sprintf("%012d", i)
		r := s.post(t, "/v1/chat/completions", chat(story(1), "A river?", nil), "x-request-id", "00000000-0000-4000-8000-"+id)
		if r.status != 200 {
			t.Fatalf("status %d", r.status)
		}
		var span map[string]any
		within(t, time.Minute, "the span has come", func() bool { span = collector.of(id); return span != nil })
		prompt, cached := usage(t, r.body)
		for name, want := range map[string]any{
			"warmroute.policy": "cache_aware", "warmroute.reason": reason, "warmroute.prompt_tokens": int64(prompt), "warmroute.cached_tokens": int64(cached),
		} {
			if span[name] != want {
				t.Errorf("%s is %v, want %v", name, span[name], want)
			}
		}
		if endpoint := span["warmroute.endpoint"]; endpoint == nil || !strings.Contains(span["warmroute.decision"].(string), ";endpoint="+endpoint.(string)) {
			t.Errorf("the endpoint is %v in %v", endpoint, span["warmroute.decision"])
		}
		if text := fmt.Sprint(span); strings.Contains(text, "river") || strings.Contains(text, "Story") {
			t.Errorf("the span has text of the prompt: %s", text)
		}
	}
	// What is not routed has none of these attributes.
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("x-request-id", "00000000-0000-4000-8000-000000000009")
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	var span map[string]any
	within(t, time.Minute, "the span of a GET has come", func() bool { span = collector.of("000000000009"); return span != nil })
	for name := range span {
		if strings.HasPrefix(name, "warmroute.") {
			t.Errorf("a GET has the attribute %s: %v", name, span[name])
		}
	}
}
