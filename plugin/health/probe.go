package health

// Due says whether a request should go to endpoint i, which is down, to try it. A request that Begun counts there is a probe. If its end is
// never reported, another probe follows after the pause.
func (e *Endpoints) Due(i int, now int64) bool {
	of := &e.list[i]
	return of.down && of.present && !of.draining && !of.out() &&
		(now >= of.probeAt || of.probeAt-now > of.mostPause()) // the clock was set back since
}

// Begun records that a request goes to endpoint i.
func (e *Endpoints) Begun(i int, now int64) {
	r := &e.list[i].record
	if !r.down {
		return
	}
	if r.probing { // the one before has shown nothing in its time
		r.pause = min(r.pause*2, r.mostPause())
	}
	r.probing = true
	r.probeAt = now + r.pause
}

// mostPause is the longest time between two probes.
func (r *record) mostPause() int64 {
	if r.hung {
		return mostHungPause
	}
	return mostPause
}

// backOff records that a probe, if one is in flight, has not brought the endpoint back.
func (r *record) backOff(now int64) {
	if r.down && r.probing {
		r.probing = false
		r.pause = min(r.pause*2, r.mostPause())
		r.probeAt = now + r.pause
	}
}
