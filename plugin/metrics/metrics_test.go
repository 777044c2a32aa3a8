package metrics

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/health"
	"warmroute/plugin/worker"
	"warmroute/testdata/golden"
)

const metricsPage = "../../docs/metrics.md"

// Names and labels as Prometheus has them, and units where its conventions want them.
func TestDefinitions(t *testing.T) {
	seen := map[string]bool{}
	for id, d := range definitions {
		if !regexp.MustCompile(`^warmroute_[a-z]+(_[a-z]+)*$`).MatchString(d.name) || seen[d.name] {
			t.Errorf("%q is no name, or taken", d.name)
		}
		seen[d.name] = true
		if total := strings.HasSuffix(d.name, "_total"); total != (d.kind == Counter) {
			t.Errorf("%s: _total is for counters, and all of them", d.name)
		}
		if unit := d.name[strings.LastIndexByte(d.name, '_')+1:]; d.kind == Histogram && unit != "milliseconds" && unit != "microseconds" {
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
	b.WriteString("# Metrics\n\nWhat the module counts, as Envoy's `/stats/prometheus` shows it. This table is made from plugin/metrics/table.go by\n" +
		"`go generate ./plugin/metrics`. Envoy's histograms hold whole numbers; in Prometheus each is `_bucket`, `_sum` and `_count`.\n\n" +
		"| metric | type | labels | meaning |\n|---|---|---|---|\n")
	for id, d := range definitions {
		labels := strings.Fields(d.labels)
		slices.Sort(labels)
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", d.name, [...]string{"counter", "gauge", "histogram"}[d.kind], strings.Join(labels, ", "), helps[id])
	}
	b.WriteString(`
An endpoint's metrics carry its address; of a data-parallel rank that is ` + "`ip:port#rank`" + `. At most ` + "`metric_endpoints`" + ` addresses have metrics of their own, because the proxy
never forgets one; those beyond are counted together as ` + "`other`" + `. Requests whose endpoint is not known (steering target
` + "`hash`" + `, before the answer) have no such label.

Labels stand before the name as ` + "`label=.=value;.;`" + `, the form that Istio's ` + "`extraStatTags`" + ` take out; for a plain Envoy
the examples have the same expressions as ` + "`stats_tags`" + `.

Requests, answers, their tokens and the times of decisions are shown at the worker's next tick: at most a fifth of
` + "`decide_timeout`" + ` later (200 ms by default), after ten seconds without requests at most a second.
`)
	golden.Compare(t, metricsPage, b.String())
}

func TestEveryEndingHasAName(t *testing.T) {
	for how := health.Answered; how <= health.Broken; how++ {
		if int(how) >= len(Outcomes) || Outcomes[how] == "" {
			t.Errorf("ending %d has no name", how)
		}
	}
	if len(Outcomes) != int(health.Broken)+1 {
		t.Errorf("%d names of endings", len(Outcomes))
	}
}

// However many addresses come by, as many as allowed have metrics of their own, the sums stay whole, and those dropped
// are counted once each.
func TestEndpointsHaveABound(t *testing.T) {
	host := fake{}
	m := newPool(New(host, t.Name(), 2).bound, "", config.PolicyNone)
	for i := range 30 {
		e := m.At(fmt.Sprintf("10.0.0.%d:80", i%10))
		e.Of(worker.NoArm).Steered("home")
	}
	(&Set{bound: m.bound}).flush()
	want := map[string]int64{
		"reason=.=home;.;endpoint=.=10.0.0.0:80;.;warmroute_requests_total": 3,
		"reason=.=home;.;endpoint=.=10.0.0.1:80;.;warmroute_requests_total": 3,
		"reason=.=home;.;endpoint=.=other;.;warmroute_requests_total":       24,
	}
	for name, n := range want {
		if got := host.value(name); got != n {
			t.Errorf("%s: got %d, want %d", name, got, n)
		}
	}
	if host.has("reason=.=home;.;endpoint=.=10.0.0.2:80;.;warmroute_requests_total") {
		t.Error("a third endpoint has metrics of its own")
	}
	if got := host.value("warmroute_endpoints_dropped"); got != 8 {
		t.Errorf("dropped: got %d, want 8", got)
	}
	for i := range 100 {
		m.At(fmt.Sprintf("10.0.1.%d:80", i))
	}
	if len(m.by) > 2*rememberedEndpoints {
		t.Errorf("%d addresses are kept", len(m.by))
	}
}

// The bound outlasts a change of the configuration: the proxy keeps the metrics of the one before. Whoever had a label has it still, so that no
// gauge stays as it was; a higher bound makes room; another filter has its own.
func TestBoundOutlastsConfigurations(t *testing.T) {
	host := fake{}
	at := func(filter, address string, most int) string {
		return newPool(New(host, filter, most).bound, "", config.PolicyNone).At(address).label
	}
	for _, c := range []struct {
		filter, address string
		most            int
		want            string
	}{
		{"a", "10.0.0.1:80", 2, "10.0.0.1:80"}, {"a", "10.0.0.2:80", 2, "10.0.0.2:80"},
		{"a", "10.0.0.3:80", 2, "other"}, {"a", "10.0.0.1:80", 2, "10.0.0.1:80"},
		{"a", "10.0.0.3:80", 3, "10.0.0.3:80"}, {"a", "10.0.0.3:80", 1, "10.0.0.3:80"},
		{"b", "10.0.0.4:80", 2, "10.0.0.4:80"},
	} {
		if got := at(t.Name()+c.filter, c.address, c.most); got != c.want {
			t.Errorf("filter %s, a bound of %d: %s is counted as %s, want %s", c.filter, c.most, c.address, got, c.want)
		}
	}
}

// Where no request comes, one endpoint leaves as another takes the index of one that left before: no more of them than there were, and yet
// what has left is shown.
func TestEndpointsTakeTurnsAtRest(t *testing.T) {
	host := fake{}
	p, m := twoEndpoints(t, host)
	p.Place(2, config.Endpoint{Address: "10.0.0.3:80"}, 0)
	p.Remove(0)
	m.showSize(p, second)
	m.Scraped("10.0.0.2:80", second)
	p.Remove(1)
	p.Place(0, config.Endpoint{Address: "10.0.0.4:80"}, 60*second)
	m.showSize(p, 60*second)
	if got := host.value("endpoint=.=10.0.0.2:80;.;warmroute_last_scrape_timestamp_seconds"); got != 0 {
		t.Errorf("metrics of an endpoint that has left were read at %d, want 0", got)
	}
	if got := host.value("warmroute_endpoints"); got != 2 {
		t.Errorf("%d endpoints, want 2", got)
	}
}

// A context that serves again after it stood by shows how many endpoints it has, though they are as many as it showed before: a newer
// configuration has shown its own.
func TestSizeIsShownAgain(t *testing.T) {
	host := fake{}
	p, m := twoEndpoints(t, host)
	m.showSize(p, second)
	m.Last(p, 2*second)
	m.size.known.record(5) // the newer one's
	m.showSize(p, 3*second)
	if got := host.value("warmroute_endpoints"); got != 2 {
		t.Errorf("%d endpoints, want 2", got)
	}
}

// What is shown of scrapes and discovery; an endpoint that has left shows no time of its last scrape.
func TestScrapeAndDiscoveryMetrics(t *testing.T) {
	host := fake{}
	m := newPool(New(host, t.Name(), 2).bound, "", config.PolicyNone)
	gauge := func(name string, want int64) {
		t.Helper()
		if got := host.value(name); got != want {
			t.Errorf("%s: got %d, want %d", name, got, want)
		}
	}
	const at int64 = 1_767_225_600_500_000_000
	m.Scraped("10.0.0.1:80", at)
	m.Discovered(at)
	gauge("endpoint=.=10.0.0.1:80;.;warmroute_last_scrape_timestamp_seconds", at/1e9)
	gauge("warmroute_last_discovery_timestamp_seconds", at/1e9)
	m.left("10.0.0.1:80")
	m.left("10.0.0.9:80") // never met
	m.Discovered(0)
	m.NotScraped("10.0.0.1:80")
	gauge("endpoint=.=10.0.0.1:80;.;warmroute_last_scrape_timestamp_seconds", 0)
	gauge("warmroute_last_discovery_timestamp_seconds", at/1e9)
	for _, name := range []string{"warmroute_discovery_errors_total", "endpoint=.=10.0.0.1:80;.;warmroute_scrape_errors_total"} {
		gauge(name, 1)
	}
}

// However many decisions come between two ticks, each is recorded.
func TestDecisionsBetweenTicks(t *testing.T) {
	host := fake{}
	m := New(host, t.Name(), 1)
	p := newPool(m.bound, "", config.PolicyNone)
	for range 3*mostTook + 1 {
		m.decided(p, 5000)
	}
	if len(m.took) != 1 || cap(m.took) != mostTook {
		t.Errorf("%d wait, in room for %d", len(m.took), cap(m.took))
	}
	if got := host.value("warmroute_decision_microseconds"); got != 5 {
		t.Errorf("the histogram's last value is %d, want 5", got)
	}
}
