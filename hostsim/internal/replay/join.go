package replay

import (
	"fmt"
	"time"

	"warmroute/hostsim/internal/stats"
)

// Join says that some replicas join at once while requests come, and which time the results are about. The zero Join is none.
type Join struct {
	Replicas int           // the last ones
	At       time.Duration // of virtual time
	For      time.Duration // that the results are about, before and after
}

// check says what is wrong.
func (j *Join) check(o *Options) error {
	switch {
	case j.Replicas == 0:
		return nil
	case j.Replicas < 0 || j.Replicas >= o.Replicas:
		return fmt.Errorf("joining replicas: %d are not fewer than all %d", j.Replicas, o.Replicas)
	case j.At <= 0 || j.For <= 0:
		return fmt.Errorf("joining replicas: the time %v and the window %v are above 0", j.At, j.For)
	case !o.Closed && float64(j.At) > o.LastArrival():
		return fmt.Errorf("joining replicas: the last request comes at %v, before they join at %v", time.Duration(o.LastArrival()).Round(time.Second), j.At)
	case len(o.Changes) > 0:
		return fmt.Errorf("joining replicas: they are among those that join or leave, or there is none of these")
	}
	return nil
}

// changes are the replicas' joining.
func (j *Join) changes(o *Options) (list []Change) {
	for i := o.Replicas - j.Replicas; i < o.Replicas; i++ {
		list = append(list, Change{Replica: i, At: j.At, Joins: true})
	}
	return list
}

// JoinResult is what users saw before and after replicas joined, and what came to those.
type JoinResult struct {
	Before   stats.Dist `json:"before_ttft_ms"` // requests sent within Join.For before
	After    stats.Dist `json:"after_ttft_ms"`  // and after
	Joined   stats.Dist `json:"joined_ttft_ms"` // those of them that the joined replicas answered
	Requests float64    `json:"joined_share"`   // their share of the requests after, 0 to 1
	Fair     float64    `json:"fair_share"`     // of so many replicas among all
}

func (r *run) joined() *JoinResult {
	if r.Join.Replicas == 0 {
		return nil
	}
	var before, after, joined []float64
	at, window := int64(r.Join.At), int64(r.Join.For)
	for i := range r.served {
		record := &r.served[i].record
		if record.PromptTokens == 0 {
			continue
		}
		ttft := float64(record.First-record.Queued) / 1e6
		switch since := record.Queued - at; {
		case since >= -window && since < 0:
			before = append(before, ttft)
		case since >= 0 && since < window:
			after = append(after, ttft)
			if r.served[i].replica >= r.Replicas-r.Join.Replicas {
				joined = append(joined, ttft)
			}
		}
	}
	return &JoinResult{
		Before: stats.NewDist(before), After: stats.NewDist(after), Joined: stats.NewDist(joined),
		Requests: float64(len(joined)) / float64(max(len(after), 1)), Fair: float64(r.Join.Replicas) / float64(r.Replicas),
	}
}
