package health

// Outage is why an endpoint is down, for people.
type Outage uint8

// The outages.
const (
	NoOutage        Outage = iota
	OutageRefused          // no connection, as far as the proxy says so: nothing has retried
	OutageFailing          // requests to it fail, for whatever reason, also where a retry elsewhere answers
	OutageSilent           // nothing comes from it while others respond (hang.go)
	OutageUnhealthy        // discovery reports it: a health check, or outlier detection
	NumOutages
)

// OutageNames are a metric's label.
var OutageNames = [NumOutages]string{OutageRefused: "refused", OutageFailing: "failing", OutageSilent: "silent", OutageUnhealthy: "unhealthy"}

// Outage says why endpoint i is down, and since when, in nanoseconds; NoOutage: it is not, or no longer in the pool.
func (e *Endpoints) Outage(i int) (why Outage, since int64) {
	of := &e.list[i]
	switch {
	case !of.present:
		return NoOutage, 0
	case of.out():
		return OutageUnhealthy, of.outFrom
	case !of.down:
		return NoOutage, 0
	case of.hung:
		return OutageSilent, of.from
	case of.failed:
		return OutageFailing, of.from
	}
	return OutageRefused, of.from
}

// untried is for how long an endpoint whose probe is due counts as tried, in nanoseconds.
const untried = int64(120e9)

// Untried says whether endpoint i is down by our own requests, and none has come for so long that could show that it is up again.
func (e *Endpoints) Untried(i int, now int64) bool {
	of := &e.list[i]
	return of.down && !of.out() && now-of.probeAt > untried
}
