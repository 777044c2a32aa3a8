package pool

// zones is what is known of zones: Envoy's override_host knows none, so the choice must.
type zones struct {
	own  string  // this proxy's; "": not known
	cost float64 // seconds that an endpoint in another one costs
	away int     // endpoints in another one
}

// locate notes the zone of endpoint i.
func (p *Pool) locate(i int, zone string) {
	e, z := &p.ends[i], &p.zones
	if e.away {
		z.away--
	}
	if e.away = z.own != "" && zone != "" && zone != z.own; e.away {
		z.away++
	}
}

// Zoned says whether any endpoint is in another zone than this proxy.
func (p *Pool) Zoned() bool { return p.zones.away > 0 }

// Away says whether endpoint i is in another zone than this proxy, as far as both are known.
func (p *Pool) Away(i int) bool { return p.ends[i].away }

// CrossingCosts says whether the configuration gives crossing zones a cost.
func (p *Pool) CrossingCosts() bool { return p.zones.cost > 0 }

// CrossZone is the seconds that it costs to send a request to endpoint i because of its zone.
func (p *Pool) CrossZone(i int) float64 {
	if p.ends[i].away {
		return p.zones.cost
	}
	return 0
}
