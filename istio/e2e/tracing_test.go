//go:build e2eistio

package e2e

import (
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	tracev1 "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// collectorService is the mesh's provider otel: OTLP over HTTP.
const (
	collectorService = "otel-collector"
	collectorIP      = "10.9.0.30"
	collectorPort    = 4318
)

// collect receives spans behind that Service until the end of the test. The returned function has the attributes of those that came.
func (s *stack) collect(t *testing.T) func() []map[string]string {
	t.Helper()
	var mu sync.Mutex
	var spans []map[string]string
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		var data tracev1.TracesData // the same message as an ExportTraceServiceRequest
		if err == nil {
			err = proto.Unmarshal(body, &data)
		}
		if err != nil {
			t.Errorf("%s: %v", r.URL.Path, err)
		}
		mu.Lock()
		defer mu.Unlock()
		for _, resource := range data.ResourceSpans {
			for _, scope := range resource.ScopeSpans {
				for _, span := range scope.Spans {
					attributes := map[string]string{}
					for _, a := range span.Attributes {
						attributes[a.Key] = a.Value.GetStringValue()
					}
					spans = append(spans, attributes)
				}
			}
		}
	}), ReadHeaderTimeout: 10 * time.Second}
	listener, err := net.Listen("tcp", net.JoinHostPort(collectorIP, strconv.Itoa(collectorPort)))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })

	labels := object{"app": collectorService}
	s.apply(t, []object{{"apiVersion": "v1", "kind": "Service", "metadata": object{"namespace": "istio-system", "name": collectorService},
		"spec": object{"clusterIP": "None", "selector": labels, "ports": []any{object{"name": "http-otlp", "port": collectorPort, "targetPort": collectorPort}}}}})
	pod, err := addPod(s.kube, "istio-system", collectorService, collectorIP, "default", labels, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.kube.remove(pod); err != nil {
			t.Error(err)
		}
	})
	return func() []map[string]string {
		mu.Lock()
		defer mu.Unlock()
		return spans
	}
}

// TestTracing: with istio/tracing beside a variant, the spans that a collector gets from the gateway say how requests were routed.
func TestTracing(t *testing.T) {
	s := shared
	spans := s.collect(t)
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	s.apply(t, s.shipped(t, "wasmplugin", nil))
	s.apply(t, s.shipped(t, "tracing", func(doc object) {
		at(doc, "spec", "tracing").([]any)[0].(object)["randomSamplingPercentage"] = 100
	}))
	g := s.startGateway(t, classic)
	eventually(t, "the module has come by ECDS, and steers", func() bool { return g.steers(t) })
	var span map[string]string
	eventually(t, "a span says that its prompt was found", func() bool {
		g.ask(t, story(1), "Hello")
		for _, one := range spans() {
			if one["warmroute.reason"] == "match" {
				span = one
			}
		}
		return span != nil
	})
	if span["warmroute.policy"] != "cache_aware" || podOf(span["warmroute.endpoint"]) == span["warmroute.endpoint"] ||
		!strings.Contains(span["warmroute.decision"], ";endpoint="+span["warmroute.endpoint"]) {
		t.Errorf("the span has %v", span)
	}
	for _, name := range []string{"warmroute.prompt_tokens", "warmroute.cached_tokens", "warmroute.expected_cached_tokens"} {
		if n, err := strconv.Atoi(span[name]); err != nil || n < 16 {
			t.Errorf("%s is %q", name, span[name])
		}
	}
	for _, one := range spans() {
		for name, value := range one {
			if strings.Contains(value, "river") || strings.Contains(value, "Story") {
				t.Errorf("the attribute %s has text of the prompt: %s", name, value)
			}
		}
	}
}
