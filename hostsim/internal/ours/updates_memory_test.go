package ours

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
)

// What a former configuration had in memory is freed: forty changes of one with 900 endpoints, whose ring is 2.7 MB, take no more than a few.
// A collector that takes tables, or what the proxy wrote last, for pointers keeps most of it, until a worker's memory is spent and it traps.
func TestModuleFreesFormerConfigurations(t *testing.T) {
	loaded, err := Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { loaded.Close(t.Context()) })
	var endpoints []string
	for i := range 900 {
		endpoints = append(endpoints, fmt.Sprintf("%q", fmt.Sprintf("10.0.%d.%d:80", i/200, i%200)))
	}
	configuration := func(n int) []byte {
		return fmt.Appendf(nil, `{"endpoints": [%s], "seed": 1, "cache_aware": {"affinity": 1.%03d}}`, strings.Join(endpoints, ", "), n)
	}
	p, err := loaded.NewProxy(t.Context(), host.Config{
		VMID: "warmroute", PluginName: "warmroute", PluginConfig: configuration(0), Workers: 1, AllowOnHeadersStopIteration: true, LogLevel: host.LevelInfo,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	g := &gatewayOfTwo{Proxy: p, t: t}
	for n := range 40 {
		g.route(n, 0, n)
		g.pass(500)
		if _, err := p.AddPlugin(host.Plugin{Name: "warmroute", Config: configuration(n + 1)}); err != nil {
			t.Fatal(err)
		}
		g.route(n+1, 0, n)
		p.EndPlugin(n)
		g.pass(100)
	}
	if memory := p.VM(0).Memory(); memory > 128<<20 {
		t.Errorf("after 40 changes the module has %d MB of memory, want 128 at most", memory>>20)
	}
}
