package compare

import (
	"context"
	"math"
	"time"
)

// Sample is one reading of the queues of all replicas during a run.
type Sample struct {
	At      float64 `json:"t"`       // s since the run began
	Waiting float64 `json:"waiting"` // requests that wait in the replicas' queues
	Running float64 `json:"running"` // requests that are being computed
	Busiest float64 `json:"busiest"` // both, at the replica that has the most
}

// sampler reads the replicas' queues while a run goes on.
type sampler struct {
	stop    context.CancelFunc
	done    chan struct{}
	samples []Sample
}

// startSampler reads at fixed intervals until finish. A page that cannot be read is left out: if a server is gone, the
// run's own requests fail.
func startSampler(ctx context.Context, p *pool, every time.Duration) *sampler {
	ctx, stop := context.WithCancel(ctx)
	s := &sampler{stop: stop, done: make(chan struct{})}
	go func() {
		defer close(s.done)
		began := time.Now()
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
			all, err := p.counters(ctx)
			if err != nil {
				continue
			}
			sample := Sample{At: math.Round(time.Since(began).Seconds()*100) / 100}
			for _, c := range all {
				sample.Waiting += c.Waiting
				sample.Running += c.Running
				sample.Busiest = max(sample.Busiest, c.Waiting+c.Running)
			}
			s.samples = append(s.samples, sample)
		}
	}()
	return s
}

func (s *sampler) finish() []Sample {
	s.stop()
	<-s.done
	return s.samples
}
