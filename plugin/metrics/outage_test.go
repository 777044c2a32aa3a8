package metrics

import (
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/pool"
)

const second = int64(1e9)

// twoEndpoints is a pool of them, and its metrics.
func twoEndpoints(t *testing.T, host Proxy) (*pool.Pool, *Pool) {
	t.Helper()
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80","10.0.0.2:80"]}`))
	if err != nil {
		t.Fatal(err)
	}
	return pool.New(&cfg, 1<<20), newPool(New(host, t.Name(), 8).bound, "", config.PolicyNone)
}

const downSince = ";.;endpoint=.=10.0.0.1:80;.;warmroute_endpoint_down_since_timestamp_seconds"

// The gauge has since when an endpoint is down, and by its label why; 0 once it is up, has left, or the filter goes.
func TestOutagesAreShown(t *testing.T) {
	for name, ends := range map[string]func(p *pool.Pool, m *Pool){
		"up":          func(p *pool.Pool, _ *Pool) { p.SetState(0, false, false, 200*second) },
		"it has left": func(p *pool.Pool, _ *Pool) { p.Remove(0) },
		"last":        func(p *pool.Pool, m *Pool) { m.Last(p, 200*second) },
		"pool gone":   func(_ *pool.Pool, m *Pool) { m.end() },
	} {
		host := fake{}
		p, m := twoEndpoints(t, host)
		m.showOutages(p, 99*second)
		if host.has("reason=.=unhealthy" + downSince) {
			t.Errorf("%s: a gauge before an endpoint was down", name)
		}
		p.SetState(0, true, false, 100*second)
		m.showOutages(p, 101*second)
		m.showOutages(p, 102*second)
		if got := host.value("reason=.=unhealthy" + downSince); got != 100 {
			t.Errorf("%s: down since %d, want 100", name, got)
		}
		ends(p, m)
		m.showOutages(p, 201*second)
		want := int64(0)
		if name == "last" || name == "pool gone" {
			want = 100 // a newer configuration shows it again
		}
		if got := host.value("reason=.=unhealthy" + downSince); got != want {
			t.Errorf("%s: down since %d, want %d", name, got, want)
		}
	}
}

// Last and the end of a pool show no endpoint as down, and no list and page that grow old.
func TestNothingGrowsOldInAPoolThatIsGone(t *testing.T) {
	host := fake{}
	p, m := twoEndpoints(t, host)
	p.SetState(0, true, false, 100*second)
	m.showOutages(p, 101*second)
	m.Discovered(101 * second)
	m.Scraped("10.0.0.1:80", 101*second)
	m.Last(p, 102*second)
	for _, name := range []string{
		"reason=.=unhealthy" + downSince, "warmroute_last_discovery_timestamp_seconds",
		"endpoint=.=10.0.0.1:80;.;warmroute_last_scrape_timestamp_seconds",
	} {
		if got := host.value(name); got != 0 {
			t.Errorf("%s: got %d, want 0", name, got)
		}
	}
}

// However many endpoints go down, only those with metrics of their own have this one.
func TestOutagesHaveABound(t *testing.T) {
	host := fake{}
	p, _ := twoEndpoints(t, host)
	m := newPool(New(host, t.Name(), 1).bound, "", config.PolicyNone)
	m.At("10.9.9.9:80")
	p.SetState(0, true, false, 100*second)
	m.showOutages(p, 101*second)
	if host.has("reason=.=unhealthy"+downSince) || len(m.down) != 0 {
		t.Error("an endpoint beyond the bound has a metric")
	}
}
