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
