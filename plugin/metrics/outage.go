package metrics

import (
	"slices"

	"warmroute/plugin/health"
	"warmroute/plugin/pool"
)

// outage is what is shown of an endpoint that is down, or was. Each worker judges by its own requests, and sets the gauge each second
// while it takes the endpoint to be down, so that it shows what any worker says.
type outage struct {
	why    health.Outage // as shown
	look   uint32        // the last that found it down
	gauges [health.NumOutages]metric
}

// showOutages shows which endpoints of a pool are down, since when and why. One that nothing has tried for a while is not shown: a
// worker without requests would say that it is down for ever.
func (m *endpoints) showOutages(p *pool.Pool, now int64) {
	m.looks++
	for i := range p.Endpoints {
		why, since := p.Health.Outage(i)
		if why == health.NoOutage || p.Health.Untried(i, now) {
			continue
		}
		if e := m.At(p.Endpoints[i].Address); e != m.rest {
			m.showOutage(e, why, since)
		}
	}
	m.down = slices.DeleteFunc(m.down, func(e *Endpoint) bool {
		ended := e.outage.look != m.looks
		if ended {
			e.outage.end()
		}
		return ended
	})
}

func (m *endpoints) showOutage(e *Endpoint, why health.Outage, since int64) {
	o := &e.outage
	if o.why == health.NoOutage {
		m.down = append(m.down, e)
	} else if o.why != why {
		o.end()
	}
	o.why, o.look = why, m.looks
	if o.gauges[why] == 0 {
		o.gauges[why] = downSinceSeconds.define(health.OutageNames[why], e.label, e.pool)
	}
	o.gauges[why].record(uint64(since / 1e9))
}

func (o *outage) end() {
	o.gauges[o.why].record(0)
	o.why = health.NoOutage
}

// endOutages shows no endpoint as down.
func (m *endpoints) endOutages() {
	for _, e := range m.down {
		e.outage.end()
	}
	m.down = nil
}
