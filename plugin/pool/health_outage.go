package pool

// Outage is why an endpoint is down, for people.
type Outage uint8

// The outages.
const (
	NoOutage        Outage = iota
	OutageRefused          // no connection, as far as the proxy says so: nothing has retried
	OutageFailing          // requests to it fail, for whatever reason, also where a retry elsewhere answers
	OutageSilent           // nothing comes from it while others respond (health_hang.go)
	OutageUnhealthy        // discovery reports it: a health check, or outlier detection
	NumOutages
)

// OutageNames are a metric's label.
var OutageNames = [NumOutages]string{OutageRefused: "refused", OutageFailing: "failing", OutageSilent: "silent", OutageUnhealthy: "unhealthy"}

// Outage says why endpoint i is down, and since when, in nanoseconds; NoOutage: it is not, or no longer in the pool.
func (p *Pool) Outage(i int) (why Outage, since int64) {
	e := &p.ends[i]
	h := &e.health
	switch {
	case e.gone:
		return NoOutage, 0
	case e.out():
		return OutageUnhealthy, e.outFrom
	case !h.down:
		return NoOutage, 0
	case h.hung:
		return OutageSilent, h.from
	case h.failed:
		return OutageFailing, h.from
	}
	return OutageRefused, h.from
}

// untried is for how long an endpoint whose probe is due counts as tried, in nanoseconds.
const untried = int64(120e9)

// Untried says whether endpoint i is down by our own requests, and none has come for so long that could show that it is up again.
func (p *Pool) Untried(i int, now int64) bool {
	e := &p.ends[i]
	return e.health.down && !e.out() && now-e.health.probeAt > untried
}
