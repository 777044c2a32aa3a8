// Package complaints says what to log of endpoints that give no metrics or models.
//
// Such an endpoint fails each time that it is asked, which is once a second or more. Its first failure is logged, its recovery, and
// between them a line a minute with the number of failures. The caller bounds all lines together: what has no room waits for the next
// call to the same endpoint.
package complaints

import (
	"strconv"

	"warmroute/plugin/config"
	"warmroute/plugin/scout"
)

// List is the endpoints that were asked in vain: at most config.MaxEndpoints, further ones take the place of the first.
type List []complaint

// complaint is what such an endpoint has had logged.
type complaint struct {
	cluster, authority, path string
	logged                   int64 // nanoseconds; 0: not yet
	since                    int   // failures after that
	all                      int
}

const (
	again = int64(60e9) // nanoseconds
	most  = config.MaxEndpoints
)

// Heard is what to log of a call to an endpoint, at t nanoseconds; "": nothing. answered: with status 200, and not only to an endpoint
// that has left. room says whether a line may be logged now. Of calls to others than endpoints it says nothing.
func (l *List) Heard(c scout.Call, fault scout.Fault, answered bool, t int64, room bool) (line string) {
	if c.Token.Endpoint < 0 {
		return ""
	}
	all, i := *l, 0
	for i < len(all) && !all[i].of(c) {
		i++
	}
	if fault == "" {
		if i < len(all) && answered {
			return l.settle(i, room)
		}
		return ""
	}
	if i == len(all) {
		if i == most {
			i--
			copy(all, all[1:])
			*l = all[:i]
		}
		*l = append(*l, complaint{cluster: c.Cluster, authority: c.Authority, path: c.Path})
	}
	k := &(*l)[i]
	k.since++
	k.all++
	if k.logged != 0 && t >= k.logged && t-k.logged < again || !room {
		return ""
	}
	line = Failure(c, fault)
	switch {
	case k.logged != 0:
		line += "; failures since the last such line: " + strconv.Itoa(k.since)
	case k.since > 1: // lines about others took the room
		line += "; failures so far: " + strconv.Itoa(k.since)
	}
	k.logged, k.since = t, 0
	return line
}

// Failure is a call that has failed, in words.
func Failure(c scout.Call, fault scout.Fault) string {
	return string(fault) + " (" + c.Authority + " through the cluster " + c.Cluster + ")"
}

// settle removes an endpoint that answers again, and says so if its failure was logged.
func (l *List) settle(i int, room bool) (line string) {
	all := *l
	k := &all[i]
	if k.logged != 0 {
		if !room {
			return ""
		}
		line = k.authority + " through the cluster " + k.cluster + " answers again when asked for " + k.path + ", after " + strconv.Itoa(k.all) + " failures"
	}
	last := len(all) - 1
	all[i] = all[last]
	all[last] = complaint{}
	*l = all[:last]
	return line
}

// of says whether a call asks the same endpoint for the same.
func (k *complaint) of(c scout.Call) bool {
	return k.authority == c.Authority && k.cluster == c.Cluster && k.path == c.Path
}
