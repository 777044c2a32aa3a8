package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
	"warmroute/plugin/worker"
	"warmroute/testdata/golden"
)

const metricsPage = "../docs/metrics.md"

// Names and labels as Prometheus has them, and units where its conventions want them.
func TestDefinitions(t *testing.T) {
	seen := map[string]bool{}
	for id, d := range definitions {
		if !regexp.MustCompile(`^warmroute_[a-z]+(_[a-z]+)*$`).MatchString(d.name) || seen[d.name] {
			t.Errorf("%q is no name, or taken", d.name)
		}
		seen[d.name] = true
		if total := strings.HasSuffix(d.name, "_total"); total != (d.kind == counter) {
			t.Errorf("%s: _total is for counters, and all of them", d.name)
		}
		if unit := d.name[strings.LastIndexByte(d.name, '_')+1:]; d.kind == histogram && unit != "milliseconds" && unit != "microseconds" {
			t.Errorf("%s: a histogram without its unit", d.name)
		}
		if !strings.HasSuffix(helps[id], ".") {
			t.Errorf("%s: the help %q is no sentence", d.name, helps[id])
		}
		for label := range strings.FieldsSeq(d.labels) {
			if !regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`).MatchString(label) {
				t.Errorf("%s: %q is no label", d.name, label)
			}
		}
	}
}

// docs/metrics.md is the table of the definitions; the tests on Envoy hold it against what Envoy shows.
func TestMetricsPage(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Metrics\n\nWhat the module counts, as Envoy's `/stats/prometheus` shows it. This table is made from plugin/metrics.go by\n" +
		"`go generate ./plugin`. Envoy's histograms hold whole numbers; in Prometheus each is `_bucket`, `_sum` and `_count`.\n\n" +
		"| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for id, d := range definitions {
		labels := strings.Fields(d.labels)
		slices.Sort(labels)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.name, [...]string{"counter", "gauge", "histogram"}[d.kind], strings.Join(labels, ", "), helps[id])
	}
	b.WriteString(`
An endpoint's metrics carry its address. At most ` + "`metric_endpoints`" + ` addresses have metrics of their own, because the proxy
never forgets one; those beyond are counted together as ` + "`other`" + `. Requests whose endpoint is not known (steering target
` + "`hash`" + `, before the answer) have no such label.

Labels stand before the name as ` + "`label=.=value;.;`" + `, the form that Istio's ` + "`extraStatTags`" + ` take out; for a plain Envoy
the examples have the same expressions as ` + "`stats_tags`" + `.

Requests, answers, their tokens and the times of decisions are shown at the worker's next tick: a fifth of ` + "`decide_timeout`" + ` later at
most, 200 ms by default.
`)
	golden.Compare(t, metricsPage, b.String())
}

func TestEveryEndingHasAName(t *testing.T) {
	for how := pool.Answered; how <= pool.Broken; how++ {
		if int(how) >= len(outcomes) || outcomes[how] == "" {
			t.Errorf("ending %d has no name", how)
		}
	}
	if len(outcomes) != int(pool.Broken)+1 {
		t.Errorf("%d names of endings", len(outcomes))
	}
}

// However many addresses come by, as many as allowed have metrics of their own, the sums stay whole, and those dropped
// are counted once each.
func TestEndpointsHaveABound(t *testing.T) {
	host := emulate(t, `{"endpoints":["10.0.0.1:80"],"metric_endpoints":2}`)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatal(status)
	}
	m := newPoolMetrics("", &endpointBound{most: 2}, config.PolicyNone)
	for i := range 30 {
		e := m.at(fmt.Sprintf("10.0.0.%d:80", i%10))
		e.of(worker.NoArm).count(requestsTotal, "home")
		e.gauges[gaugeInFlight].add(1)
	}
	(&metrics{bound: m.bound}).tell()
	want := map[string]uint64{
		"reason=.=home;.;endpoint=.=10.0.0.0:80;.;warmroute_requests_total": 3,
		"reason=.=home;.;endpoint=.=10.0.0.1:80;.;warmroute_requests_total": 3,
		"reason=.=home;.;endpoint=.=other;.;warmroute_requests_total":       24,
	}
	for name, n := range want {
		if got, err := host.GetCounterMetric(name); err != nil || got != n {
			t.Errorf("%s: got %d (%v), want %d", name, got, err, n)
		}
	}
	if _, err := host.GetCounterMetric("reason=.=home;.;endpoint=.=10.0.0.2:80;.;warmroute_requests_total"); err == nil {
		t.Error("a third endpoint has metrics of its own")
	}
	if got, err := host.GetGaugeMetric("warmroute_endpoints_dropped"); err != nil || got != 8 {
		t.Errorf("dropped: got %d (%v), want 8", got, err)
	}
	for i := range 100 {
		m.at(fmt.Sprintf("10.0.1.%d:80", i))
	}
	if len(m.by) > 2*rememberedEndpoints {
		t.Errorf("%d addresses are kept", len(m.by))
	}
}

// What is told of scrapes and discovery; an endpoint that has left shows no time of its last scrape.
func TestScrapeAndDiscoveryMetrics(t *testing.T) {
	host := emulate(t, goodConfiguration)
	if status := host.StartPlugin(); status != types.OnPluginStartStatusOK {
		t.Fatal(status)
	}
	m := newPoolMetrics("", &endpointBound{most: 2}, config.PolicyNone)
	gauge := func(name string, want uint64) {
		t.Helper()
		if got, err := host.GetGaugeMetric(name); err != nil || got != want {
			t.Errorf("%s: got %d (%v), want %d", name, got, err, want)
		}
	}
	const at int64 = 1_767_225_600_500_000_000
	m.scraped("10.0.0.1:80", at)
	m.discovered(at)
	gauge("endpoint=.=10.0.0.1:80;.;warmroute_last_scrape_timestamp_seconds", uint64(at/1e9))
	gauge("warmroute_last_discovery_timestamp_seconds", uint64(at/1e9))
	m.left("10.0.0.1:80")
	m.left("10.0.0.9:80") // never met
	m.discovered(0)
	m.notScraped("10.0.0.1:80")
	gauge("endpoint=.=10.0.0.1:80;.;warmroute_last_scrape_timestamp_seconds", 0)
	gauge("warmroute_last_discovery_timestamp_seconds", uint64(at/1e9))
	for _, name := range []string{"warmroute_discovery_errors_total", "endpoint=.=10.0.0.1:80;.;warmroute_scrape_errors_total"} {
		if got, err := host.GetCounterMetric(name); err != nil || got != 1 {
			t.Errorf("%s: got %d (%v), want 1", name, got, err)
		}
	}
}

// A filter that goes leaves no requests in flight on its gauges: Envoy keeps them as they are, and a newer configuration may not
// have the endpoint.
func TestGaugesOfAFilterThatGoes(t *testing.T) {
	host := started(t)
	const inFlight = "endpoint=.=10.0.0.1:80;.;warmroute_in_flight"
	sum := func() (sum uint64) {
		for _, n := range []string{"1", "2", "3"} {
			got, _ := host.GetGaugeMetric(strings.Replace(inFlight, "0.1:", "0."+n+":", 1)) // 0: not defined
			sum += got
		}
		return sum
	}
	id := host.InitializeHttpContext()
	host.CallOnRequestHeaders(id, postHeaders, false)
	host.CallOnRequestBody(id, []byte(`{"prompt":"Once upon a time","model":"m"}`), true)
	host.Tick()
	if got := sum(); got != 1 {
		t.Fatalf("with a request: %d in flight, want 1", got)
	}
	host.CompleteHttpContext(id)
	host.FinishVM() // before the next tick
	if got := sum(); got != 0 {
		t.Errorf("the filter has gone: %d in flight, want 0", got)
	}
}

// What requests count waits for the next tick. A filter that ends has none: what waits is told at its end, and what its last requests
// count at theirs.
func TestCountsAreToldAtTheEnd(t *testing.T) {
	host := started(t)
	id := host.InitializeHttpContext()
	host.CallOnRequestHeaders(id, postHeaders, false)
	host.CallOnRequestBody(id, []byte(`{"prompt":"Once"}`), true)
	endpoint, _, _ := strings.Cut(header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"), ",")
	told := func(when, label, name string, want uint64) {
		t.Helper()
		if got, err := host.GetCounterMetric(label + ";.;endpoint=.=" + endpoint + ";.;" + name); err != nil || got != want {
			t.Errorf("%s: %s is %d (%v), want %d", when, name, got, err, want)
		}
	}
	told("before a tick", "reason=.=by_load", "warmroute_requests_total", 0)
	host.FinishVM()
	told("after the filter's end", "reason=.=by_load", "warmroute_requests_total", 1)
	if err := host.SetProperty([]string{"upstream", "address"}, []byte(endpoint)); err != nil {
		t.Fatal(err)
	}
	host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}}, true)
	host.CompleteHttpContext(id)
	told("after its last request", "outcome=.=answered", "warmroute_answers_total", 1)
}

// What an experiment counts is told at the filter's end, too.
func TestAnExperimentsCountsAreToldAtTheEnd(t *testing.T) {
	host := emulate(t, `{"endpoints":["10.0.0.1:80"],"experiment":{"share":0.5,"policy":"round_robin"}}`)
	if host.StartPlugin() != types.OnPluginStartStatusOK {
		t.Fatal(host.GetCriticalLogs())
	}
	answers := func() (sum uint64) {
		for _, p := range []string{"arm=.=live;.;group=.=%d;.;policy=.=cache_aware", "arm=.=experiment;.;group=.=%d;.;policy=.=round_robin"} {
			for i := range worker.Groups {
				got, err := host.GetCounterMetric(fmt.Sprintf(p+";.;warmroute_experiment_answers_total", i))
				if err != nil {
					t.Fatal(err)
				}
				sum += got
			}
		}
		return sum
	}
	request := func() uint32 {
		id := host.InitializeHttpContext()
		host.CallOnRequestHeaders(id, postHeaders, false)
		host.CallOnRequestBody(id, []byte(`{"prompt":"Once upon a time","model":"m","user":"u"}`), true)
		return id
	}
	answer := func(id uint32) {
		host.CallOnResponseHeaders(id, [][2]string{{":status", "200"}, {"content-type", "application/json"}}, false)
		host.CallOnResponseBody(id, []byte(`{"usage":{"prompt_tokens":9,"prompt_tokens_details":{"cached_tokens":7}}}`), true)
		host.CompleteHttpContext(id)
	}
	first, last := request(), request()
	answer(first)
	host.FinishVM() // before the next tick
	if got := answers(); got != 1 {
		t.Errorf("the filter has gone: %d answers, want 1", got)
	}
	answer(last)
	if got := answers(); got != 2 {
		t.Errorf("its last request has ended: %d answers, want 2", got)
	}
}

// However many decisions come between two ticks, each is told.
func TestDecisionsBetweenTicks(t *testing.T) {
	host := started(t)
	m := newMetrics(1)
	p := newPoolMetrics("", m.bound, config.PolicyNone)
	for range 3*mostTook + 1 {
		m.decided(p, 5000)
	}
	if len(m.took) != 1 || cap(m.took) != mostTook {
		t.Errorf("%d wait, in room for %d", len(m.took), cap(m.took))
	}
	if got, err := host.GetHistogramMetric("warmroute_decision_microseconds"); err != nil || got != 5 {
		t.Errorf("the histogram's last value is %d (%v), want 5", got, err)
	}
}
