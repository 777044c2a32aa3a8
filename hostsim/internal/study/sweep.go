package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"warmroute/hostsim/internal/replay"
	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/trace"
)

// Loads are policies that know nothing of prompts, and that a gateway without this module could have.
var Loads = []string{"join_shortest_queue", "power_of_two", "peer:kubeai_least_load"}

// ScrapeEvery is how often gateways read the replicas' metrics in studies, as the module does by default; peers do at their own pace.
const ScrapeEvery = time.Second

// Sweep runs replays one after the other, and says what it is at.
type Sweep struct {
	Context  context.Context
	Base     replay.Options                     // what all have in common; Trace may be replaced
	Progress func(done, total int, what string) // total is 0 where it is not known
	Total    int                                // replays that are planned, for Progress; 0: not known
	More     int                                // replays that the caller plans after those of Advise
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

// take sets the policy. Those by load then read no metrics: a gateway without this module knows its own requests only, and by these
// they do better (docs/study.md, stale knowledge).
func take(o *replay.Options, policy string) {
	if o.Policy = policy; ByLoad(policy) {
		o.Scrape = 0
	}
}

// Run replays with a change to the base.
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

// Least is the result of the policy by load that has the least mean TTFT.
func (s *Sweep) Least(what string, change func(*replay.Options)) (*replay.Result, error) {
	var best *replay.Result
	for _, policy := range Loads {
		r, err := s.Run(what+", "+policy, func(o *replay.Options) { change(o); take(o, policy) })
		if err != nil {
			return nil, err
		}
		if best == nil || r.TTFT.Mean < best.TTFT.Mean {
			best = r
		}
	}
	return best, nil
}

// jitter is the trace as it might have come: each session moved by up to span ns either way.
func jitter(t *trace.Trace, seed uint64, span float64) *trace.Trace {
	if seed == 0 {
		return t
	}
	rng := rand.New(rand.NewPCG(seed, 5))
	by := make([]int64, t.Sessions)
	for i := range by {
		by[i] = int64((2*rng.Float64() - 1) * span)
	}
	out := t.Clone()
	out.Shift(func(session int) int64 { return by[session] })
	return out
}

// interval is a mean and its confidence interval.
type interval struct {
	Mean float64 `json:"mean"`
	Low  float64 `json:"low"`  // of the 95 % confidence interval
	High float64 `json:"high"` // equal to Low and Mean where there is one value
}

// confidence is the mean of values and its 95 % interval by Student's t.
func confidence(values []float64) interval {
	n := float64(len(values))
	mean, square := 0.0, 0.0
	for _, v := range values {
		mean += v / n
	}
	for _, v := range values {
		square += (v - mean) * (v - mean)
	}
	if len(values) < 2 {
		return interval{mean, mean, mean}
	}
	half := stats.Student(len(values)-1) * math.Sqrt(square/(n-1)/n)
	return interval{mean, mean - half, mean + half}
}

func (i interval) String() string {
	if i.Low == i.High {
		return Percent(i.Mean)
	}
	return fmt.Sprintf("%s (95 %% interval %s to %s)", Percent(i.Mean), Percent(i.Low), Percent(i.High))
}
