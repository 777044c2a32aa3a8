package advice

import (
	"fmt"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/sweep"
	"warmroute/plugin/config"
)

// Fleet is how many replicas it takes.
type Fleet struct {
	Same   int `json:"default_does_what_by_load_does"` // replicas with which the default is as quick as the policy by load with all
	ByLoad int `json:"by_load_does_what_default_does"` // replicas that the policy by load needs to be as quick as the default with all; 0: more than Most
	Most   int `json:"most_tried"`
	Goal   int `json:"default_meets_slo,omitempty"` // replicas with which the default meets the goals; 0: more than Most
	GoalBy int `json:"by_load_meets_slo,omitempty"` // the same by load
}

// asQuick says whether users wait no longer: neither for the first token nor for the whole answer.
func asQuick(r, than *replay.Result) bool {
	return r.TTFT.Mean <= than.TTFT.Mean && r.Latency.Mean <= than.Latency.Mean
}

// fleetMost is how many replicas are tried at most.
func fleetMost(replicas int) int { return min(4*replicas, config.MaxEndpoints) }

// fleet searches the numbers of replicas.
func (a *Advice) fleet(s *sweep.Sweep, ours, load *replay.Result) error {
	f := &a.Fleet
	f.Most = fleetMost(a.Replicas)
	with := func(policy string, enough func(*replay.Result) bool) func(int) (bool, error) {
		return func(n int) (bool, error) {
			r, err := s.Run(fmt.Sprintf("%s, %d replicas", policy, n), func(o *replay.Options) {
				o.Replicas = n
				contender.Set(o, policy)
			})
			return err == nil && enough(r), err
		}
	}
	var err error
	f.Same, f.ByLoad = a.Replicas, a.Replicas
	if asQuick(ours, load) {
		if f.Same, err = least(1, a.Replicas, with(contender.Default, func(r *replay.Result) bool { return asQuick(r, load) })); err != nil {
			return err
		}
		if f.ByLoad, err = least(a.Replicas, f.Most+1, with(a.ByLoad, func(r *replay.Result) bool { return asQuick(r, ours) })); err != nil {
			return err
		}
	}
	if f.ByLoad > f.Most {
		f.ByLoad = 0
	}
	if len(a.Goals) == 0 {
		return nil
	}
	for _, of := range []struct {
		policy string
		n      *int
	}{{contender.Default, &f.Goal}, {a.ByLoad, &f.GoalBy}} {
		if *of.n, err = least(1, f.Most+1, with(of.policy, func(r *replay.Result) bool { return met(a.Goals, r) })); err != nil {
			return err
		}
		if *of.n > f.Most {
			*of.n = 0
		}
	}
	return nil
}

// least is the smallest n from low on for which enough says yes, high if there is none below high: by halving, since
// more replicas are never slower but by chance.
func least(low, high int, enough func(int) (bool, error)) (int, error) {
	for low < high {
		mid := (low + high) / 2
		ok, err := enough(mid)
		if err != nil {
			return 0, err
		}
		if ok {
			high = mid
		} else {
			low = mid + 1
		}
	}
	return low, nil
}

// searches is about how many replays least takes.
func searches(low, high int) (n int) {
	for span := high - low + 1; span > 1; span = (span + 1) / 2 {
		n++
	}
	return n
}
