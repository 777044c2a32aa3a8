package ours

import (
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
)

// A stream that is deleted without having been logged, as those of HTTP/3 are, leaves nothing behind: what it held is free again.
func TestStreamsThatAreNotLogged(t *testing.T) {
	loaded, err := Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	p, err := loaded.NewProxy(t.Context(), host.Config{
		PluginName: "warmroute", PluginConfig: []byte(`{"endpoints": ["10.0.0.1:80"], "max_inspecting": 2, "response_header": "x-decision"}`),
		AllowOnHeadersStopIteration: true, HTTP3: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	begin := func() *host.Stream {
		s := p.NewStream(0)
		s.RequestHeaders(host.Headers{
			{Name: ":method", Value: "POST"}, {Name: ":path", Value: "/v1/completions"}, {Name: ":authority", Value: "llm"}, {Name: "content-type", Value: "application/json"},
		}, false)
		return s
	}
	for range 4 {
		s := begin()
		s.RequestBody([]byte(`{"model":"m",`), false)
		s.Reply(408, "request timeout", "request_overall_timeout")
	}
	s := begin()
	s.RequestBody([]byte(`{"model":"m","prompt":"Hello"}`), true)
	s.ResponseHeaders(host.Headers{{Name: ":status", Value: "200"}, {Name: "content-type", Value: "application/json"}}, true)
	if decision, _ := s.Downstream().Headers.Get("x-decision"); decision == "" || strings.Contains(decision, "why=") {
		t.Errorf("after four uploads that the proxy answered: %q", decision)
	}
}
