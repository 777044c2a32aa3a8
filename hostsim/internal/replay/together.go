package replay

import (
	"context"
	"time"

	"warmroute/hostsim/internal/trace"
)

// paceBytes of bodies come in a run before the next run goes on.
const paceBytes = 32 << 20

// pace is how many requests that is.
func pace(t *trace.Trace) int {
	bytes := 0
	for i := range t.Requests {
		bytes += len(t.Requests[i].Body) + trace.BytesPerToken*t.Requests[i].InputTokens
	}
	return 1 + int(float64(len(t.Requests))*paceBytes/float64(bytes+1))
}

// Together replays one trace with each of several options at one pace, so that what they make of a request alike is made once. The
// options may differ in what decides (Policy, Plugin, Sync, Gateways, Workers, Scrape, NameSessions, Engine), and in nothing else. Results
// and errors are those of Run; ended is told each as soon as it is there, with the time that it took.
func Together(ctx context.Context, all []Options, ended func(i int, r *Result, err error, took time.Duration)) {
	if len(all) > 0 {
		together(ctx, all, pace(all[0].Trace), ended)
	}
}

func together(ctx context.Context, all []Options, step int, ended func(i int, r *Result, err error, took time.Duration)) {
	runs, took := make([]*run, len(all)), make([]time.Duration, len(all))
	var shared *works
	end := func(i int, r *Result, err error) {
		if runs[i] != nil {
			runs[i].close()
			runs[i] = nil
		}
		ended(i, r, err, took[i])
	}
	for i, o := range all {
		var err error
		if runs[i], err = newRun(o, shared); err != nil {
			end(i, nil, err)
			continue
		}
		shared = runs[i].works
		shared.runs = len(all)
	}
	for came, left := step, true; left; came += step {
		left = false
		for i, r := range runs {
			if r == nil {
				continue
			}
			began := time.Now()
			err := r.until(ctx, came)
			took[i] += time.Since(began)
			switch {
			case err != nil:
				end(i, nil, err)
			case r.finished == len(r.Trace.Requests):
				end(i, r.result(), nil)
			default:
				left = true
			}
		}
	}
}
