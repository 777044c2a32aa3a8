package worker

import (
	"strconv"

	"warmroute/plugin/health"
)

// outages are what the log has said of a pool's endpoints. Each worker judges endpoints by its own requests, so each tells its own.
// The log is bounded: so many lines a look, and one for each endpoint in tellAgain; what is not said now is said later, if it still holds.
type outages struct {
	looked int64 // ns: at the endpoints, last
	from   int   // endpoint at which the next look begins: the first ones do not keep the others from being told
	told   []told
}

// told is what was said of an endpoint last.
type told struct {
	address string
	why     health.Outage
	since   int64 // ns: of the outage
	at      int64 // ns: when it was said
}

const (
	lookEvery = int64(1e9)  // nanoseconds
	tellAgain = int64(10e9) // nanoseconds
	mostTold  = 4           // lines of a pool, at a look
)

// outageTexts say what the log says of each.
var outageTexts = [health.NumOutages]string{
	health.OutageRefused:   "no connection, or status 502 or 503 without a retry",
	health.OutageFailing:   "requests to it fail, by no connection, a cut one, or status 500 or above; where a retry answers, clients do not see it",
	health.OutageSilent:    "nothing comes from it, while others answer",
	health.OutageUnhealthy: "the proxy's health check or outlier detection says so",
}

// TellOutages calls say with a line for each endpoint that has gone down or come back, as this worker sees it. It looks once a
// second.
func (p *Pool) TellOutages(now int64, say func(line string)) {
	o := &p.outages
	if p.known == nil || now >= o.looked && now-o.looked < lookEvery {
		return
	}
	o.looked = now
	n, lines, begin := len(p.known.Endpoints), 0, o.from
	for len(o.told) < n {
		o.told = append(o.told, told{})
	}
	for k := 0; k < n && lines < mostTold; k++ {
		i := (begin + k) % n
		why, since := p.known.Health.Outage(i)
		address := p.known.Endpoints[i].Address
		t := &o.told[i]
		if t.address != address {
			*t = told{address: address}
		}
		if !p.known.Present(i) { // it has left, which is no coming back
			t.why = health.NoOutage
			continue
		}
		if why == t.why || t.at != 0 && now >= t.at && now-t.at < tellAgain {
			continue
		}
		say(p.outageLine(t, why, now))
		*t = told{address, why, since, now}
		lines, o.from = lines+1, i+1
	}
}

func (p *Pool) outageLine(before *told, why health.Outage, now int64) string {
	line := "endpoint " + before.address + p.Mention()
	if why != health.NoOutage {
		return line + " is down (" + health.OutageNames[why] + "): " + outageTexts[why]
	}
	return line + " is up again after " + strconv.FormatInt((max(now-before.since, 0)+5e8)/1e9, 10) + " s"
}
