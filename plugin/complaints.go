package main

import (
	"strconv"

	"warmroute/plugin/config"
	"warmroute/plugin/scout"
)

// An endpoint that gives no metrics or models fails each time that it is asked, which is once a second or more. Its first failure is
// logged, its recovery, and between them a line a minute with the number of failures. All lines together are one a second at most:
// what has no room waits for the next call to the same endpoint.

// complaint is what an endpoint that was asked in vain has had logged.
type complaint struct {
	cluster, authority, path string
	logged                   int64 // nanoseconds; 0: not yet
	since                    int   // failures after that
	all                      int
}

const (
	complainAgain = int64(60e9)         // nanoseconds
	maxComplaints = config.MaxEndpoints // further ones take the place of the first
)

// heard logs what became of a call to an endpoint, if it is news. answered: with status 200, and not only to an endpoint that has left.
// Of other calls, learned logs.
func (p *plugin) heard(c scout.Call, fault scout.Fault, answered bool, t int64) {
	if c.Token.Endpoint < 0 {
		return
	}
	i := 0
	for i < len(p.complaints) && !p.complaints[i].of(c) {
		i++
	}
	if fault == "" {
		if i < len(p.complaints) && answered {
			p.settle(i, t)
		}
		return
	}
	if i == len(p.complaints) {
		if i == maxComplaints {
			i--
			copy(p.complaints, p.complaints[1:])
			p.complaints = p.complaints[:i]
		}
		p.complaints = append(p.complaints, complaint{cluster: c.Cluster, authority: c.Authority, path: c.Path})
	}
	k := &p.complaints[i]
	k.since++
	k.all++
	if k.logged != 0 && t >= k.logged && t-k.logged < complainAgain || !p.mayWarn(t) {
		return
	}
	line := vain(c, fault)
	switch {
	case k.logged != 0:
		line += "; failures since the last such line: " + strconv.Itoa(k.since)
	case k.since > 1: // lines about others took the room
		line += "; failures so far: " + strconv.Itoa(k.since)
	}
	k.logged, k.since = t, 0
	p.warn(t, line)
}

// vain is what is logged of a call that has failed.
func vain(c scout.Call, fault scout.Fault) string {
	return string(fault) + " (" + c.Authority + " through the cluster " + c.Cluster + ")"
}

// settle logs that an endpoint answers again, if its failure was logged.
func (p *plugin) settle(i int, t int64) {
	k := &p.complaints[i]
	if k.logged != 0 {
		if !p.mayWarn(t) {
			return
		}
		p.warn(t, k.authority+" through the cluster "+k.cluster+" answers again when asked for "+k.path+", after "+strconv.Itoa(k.all)+" failures")
	}
	last := len(p.complaints) - 1
	p.complaints[i] = p.complaints[last]
	p.complaints[last] = complaint{}
	p.complaints = p.complaints[:last]
}

// of says whether a call asks the same endpoint for the same.
func (k *complaint) of(c scout.Call) bool {
	return k.authority == c.Authority && k.cluster == c.Cluster && k.path == c.Path
}
