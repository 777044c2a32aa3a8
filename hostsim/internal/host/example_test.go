package host_test

import (
	"context"
	"fmt"
	"os"
	"strings"

	"warmroute/hostsim/internal/host"
)

// Example sends one request through a module, in virtual time. It is compiled and not run, for want of a module here.
func Example() {
	ctx := context.Background()
	wasm, err := os.ReadFile("plugin.wasm")
	if err != nil {
		return
	}
	module, err := host.Compile(ctx, wasm)
	if err != nil {
		return
	}
	defer module.Close(ctx)
	proxy, err := module.NewProxy(ctx, host.Config{
		Workers: 2, AllowOnHeadersStopIteration: true, LogLevel: host.LevelInfo,
		PluginConfig: []byte(`{"endpoints":["10.0.0.1:8000","10.0.0.2:8000"]}`),
		OnCallout: func(c *host.Callout) {
			c.Respond(host.Response{Headers: host.Headers{{Name: ":status", Value: "200"}}, Body: []byte("vllm:num_requests_waiting 0\n")}, 2_000_000)
		},
		Property: func(s *host.Stream, path []string) ([]byte, bool) {
			if strings.Join(path, ".") == "upstream.address" {
				return []byte("10.0.0.1:8000"), true
			}
			return nil, false
		},
	})
	if err != nil {
		return
	}
	defer proxy.Close()

	s := proxy.NewStream(0)
	s.RequestHeaders(host.Headers{{Name: ":method", Value: "POST"}, {Name: ":path", Value: "/v1/completions"}, {Name: ":authority", Value: "llm"},
		{Name: "content-type", Value: "application/json"}}, false)
	s.RequestBody([]byte(`{"model":"m","prompt":"hello"}`), true)
	endpoint, _ := s.Upstream().Headers.Get("x-gateway-destination-endpoint")
	proxy.Advance(proxy.Now() + 250_000_000)
	s.ResponseHeaders(host.Headers{{Name: ":status", Value: "200"}}, false)
	s.ResponseBody([]byte("{}"), true)
	fmt.Println(endpoint, s.Downstream().EndedAt-s.Upstream().At)
}
