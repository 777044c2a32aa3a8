package ours

import (
	"fmt"
	"strings"
	"testing"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// What a former configuration had in memory is freed: forty changes of one with 900 endpoints, whose ring is 2.7 MB, take no more than a few.
// A collector that takes tables, or what the proxy wrote last, for pointers keeps most of it, until a worker's memory is spent and it traps.
func TestModuleFreesFormerConfigurations(t *testing.T) {
	var endpoints []string
	for i := range 900 {
		endpoints = append(endpoints, fmt.Sprintf("%q", fmt.Sprintf("10.0.%d.%d:80", i/200, i%200)))
	}
	configuration := func(n int) []byte {
		return fmt.Appendf(nil, `{"endpoints": [%s], "seed": 1, "cache_aware": {"affinity": 1.%03d}}`, strings.Join(endpoints, ", "), n)
	}
	g := newGateway(t, 1, configuration(0))
	for n := range 40 {
		g.route(n, 0, n)
		g.pass(500)
		if _, err := g.AddPlugin(host.Plugin{Name: "warmroute", Config: configuration(n + 1)}); err != nil {
			t.Fatal(err)
		}
		g.route(n+1, 0, n)
		g.EndPlugin(n)
		g.pass(100)
	}
	if memory := g.VM(0).Memory(); memory > 128<<20 {
		t.Errorf("after 40 changes the module has %d MB of memory, want 128 at most", memory>>20)
	}
}

// A former configuration whose answers are still under way lets go of what it knows (TestDoze), and counts them until they end; a request on a
// connection from before the change has it know all that again.
func TestFormerConfigurationsCountTheirAnswers(t *testing.T) {
	configuration := func(n int) []byte {
		return fmt.Appendf(nil, `{"endpoints": ["10.0.0.1:80", "10.0.0.2:80", "10.0.0.3:80", "10.0.0.4:80", "10.0.0.5:80", "10.0.0.6:80"], "scrape": {"path": ""}, "seed": 1, "cache_aware": {"affinity": 1.%03d}}`, n)
	}
	g := newGateway(t, 1, configuration(0))
	sumOf := func(name string) (sum uint64) {
		for _, m := range g.Metrics() {
			if strings.HasSuffix(m.Name, name) {
				sum += uint64(m.Value)
			}
		}
		return sum
	}
	inFlight := func() uint64 { return sumOf("warmroute_in_flight") }
	const changes = 6
	var long []*host.Stream
	for n := range changes {
		s := g.send(n, 0, fmt.Sprint("A long one, number ", n, strings.Repeat(" and so on", 200)))
		s.ResponseHeaders(host.Headers{{Name: ":status", Value: "200"}, {Name: "content-type", Value: "text/event-stream"}}, false)
		long = append(long, s)
		if _, err := g.AddPlugin(host.Plugin{Name: "warmroute", Config: configuration(n + 1)}); err != nil {
			t.Fatal(err)
		}
		g.route(n+1, 0, n)
		g.pass(13_000)
		if got := inFlight(); got != uint64(len(long)) {
			t.Errorf("change %d: %d are in flight, want %d", n, got, len(long))
		}
	}
	again := g.send(2, 0, fmt.Sprint("A long one, number 4", strings.Repeat(" and so on", 200), " and more"))
	if home := first(again); home == "" || home != first(long[4]) {
		t.Errorf("a former configuration sends to %q what is held by %q", home, first(long[4]))
	}
	g.finish(again)
	g.pass(3000)
	if got := inFlight(); got != changes {
		t.Errorf("one has woken: %d are in flight, want %d", got, changes)
	}
	answered := sumOf("warmroute_answers_total")
	for _, s := range long {
		s.ResponseBody(nil, true)
	}
	g.pass(3000)
	if got := sumOf("warmroute_answers_total") - answered; got != changes {
		t.Errorf("%d answers are counted within three seconds of their end, want %d", got, changes)
	}
	g.pass(10_000)
	if got := inFlight(); got != 0 {
		t.Errorf("all have ended: %d are in flight", got)
	}
	g.route(0, 0, 1)
	g.pass(1000)
	if got := inFlight(); got != 0 {
		t.Errorf("at the end %d are in flight", got)
	}
}

// first is the endpoint that a request goes to.
func first(s *host.Stream) string {
	to, _ := s.Upstream().Headers.Get(config.EndpointHeader)
	at, _, _ := strings.Cut(to, ",")
	return at
}
