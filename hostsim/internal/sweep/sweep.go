// Package sweep runs the many replays that a question takes: changes to one base, one after the other or as many at once as there are
// processors, with progress, until somebody interrupts them. What is asked of the results is no matter of its.
package sweep

import (
	"context"
	"fmt"
	"runtime"
	"sync"

	"warmroute/hostsim/internal/contender"
	"warmroute/hostsim/internal/replay"
)

// Sweep runs replays one after the other, and says what it is at.
type Sweep struct {
	Context  context.Context
	Base     replay.Options                     // what all have in common; Trace may be replaced
	Progress func(done, total int, what string) // total is 0 where it is not known
	Total    int                                // replays that are planned, for Progress; 0: not known
	mu       sync.Mutex
	runs     int // begun
	done     int
}

// Done is how many replays are done.
func (s *Sweep) Done() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// count numbers a replay.
func (s *Sweep) count(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.Progress(s.runs, s.Total, what)
	s.runs++
}

// Job is one of several replays that do not depend on each other.
type Job struct {
	What   string
	Change func(*replay.Options)
	Result *replay.Result // afterwards
}

// All runs the jobs, as many at once as there are processors. It stops at the first error.
func (s *Sweep) All(jobs ...*Job) error {
	next := make(chan *Job)
	errs := make(chan error, len(jobs))
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(jobs)) {
		workers.Go(func() {
			for j := range next {
				var err error
				if j.Result, err = s.Run(j.What, j.Change); err != nil {
					errs <- err
				}
			}
		})
	}
	for _, j := range jobs {
		if len(errs) > 0 {
			break
		}
		next <- j
	}
	close(next)
	workers.Wait()
	select {
	case err := <-errs:
		return err
	default:
		return nil
	}
}

// Run replays with a change to the base. what is for Progress, and names an error.
func (s *Sweep) Run(what string, change func(*replay.Options)) (*replay.Result, error) {
	o := s.Base
	change(&o)
	s.count(what)
	r, err := replay.Run(s.Context, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	s.mu.Lock()
	s.done++
	s.mu.Unlock()
	return r, nil
}

// Least is the result of the policy by load that has the least mean TTFT, each with the same change to the base.
func (s *Sweep) Least(what string, change func(*replay.Options)) (*replay.Result, error) {
	var best *replay.Result
	for _, policy := range contender.LoadOnly {
		r, err := s.Run(what+", "+policy, func(o *replay.Options) { change(o); contender.Set(o, policy) })
		if err != nil {
			return nil, err
		}
		if best == nil || r.TTFT.Mean < best.TTFT.Mean {
			best = r
		}
	}
	return best, nil
}
