// Package calibrate fits a profile of hostsim's replicas to a server: to the log of its requests, to what its /metrics
// page counted between two readings, or to what it answers when it is probed.
//
// All three replay a load through the model of fleet, in virtual time, and move a few factors of a profile until the model
// agrees with what was measured. What a measurement does not determine keeps the value that the profile came with, and
// Fit says so.
package calibrate

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"warmroute/hostsim/internal/vllm"
)

// Run is a load, and what a real server made of it.
type Run struct {
	Arrivals []int64 // ns, ascending
	Requests []vllm.Request
	TTFT     []float64 // s, from queued to first token
	TPOT     []float64 // s, mean time between tokens after the first; 0: the answer had one
}

// Replay runs the load through the model, and returns the record of each request, in order.
func (r *Run) Replay(p vllm.Profile) ([]vllm.Record, vllm.Stats, error) {
	e, err := vllm.NewEngine(p)
	if err != nil {
		return nil, vllm.Stats{}, err
	}
	done := make([]vllm.Record, len(r.Requests))
	for i, q := range r.Requests {
		q.ID = uint64(i)
		if err := e.Submit(r.Arrivals[i], q); err != nil {
			return nil, vllm.Stats{}, err
		}
	}
	for _, event := range e.Advance(math.MaxInt64) {
		if event.Kind == vllm.Finished {
			done[event.Record.ID] = *event.Record
		}
	}
	for i := range done {
		if done[i].Generated == 0 {
			return nil, e.Stats(), fmt.Errorf("request %d: never finished; %d KV tokens are too few for it", i, p.KVTokens())
		}
	}
	return done, e.Stats(), nil
}

// Errors are how far the model is from what was measured, as ratios less one.
type Errors struct{ TTFTMean, TTFTP90, TPOTMean float64 }

func (e Errors) String() string {
	return fmt.Sprintf("TTFT mean %+.1f %%, P90 %+.1f %%, TPOT mean %+.1f %%", 100*e.TTFTMean, 100*e.TTFTP90, 100*e.TPOTMean)
}

// Worst is the largest of them.
func (e Errors) Worst() float64 {
	return max(math.Abs(e.TTFTMean), math.Abs(e.TTFTP90), math.Abs(e.TPOTMean))
}

// Compare sets the model's records of requests from..to against what was measured.
func (r *Run) Compare(done []vllm.Record, from, to int) Errors {
	var ttft, tpot, measured []float64
	for i, d := range done[from:to] {
		ttft = append(ttft, float64(d.First-d.Queued)/1e9)
		if r.TPOT[from+i] > 0 && d.Generated > 1 {
			tpot = append(tpot, float64(d.Final-d.First)/1e9/float64(d.Generated-1))
			measured = append(measured, r.TPOT[from+i])
		}
	}
	e := Errors{TTFTMean: ratio(mean(ttft), mean(r.TTFT[from:to])), TTFTP90: ratio(percentile(ttft, 90), percentile(r.TTFT[from:to], 90))}
	if len(tpot) > 0 {
		e.TPOTMean = ratio(mean(tpot), mean(measured))
	}
	return e
}

func ratio(model, measured float64) float64 { return model/measured - 1 }

// loss is what Fit makes small over requests from..to: the errors of the means, and half of the mean errors of each
// request's whole latency and decoding time.
func (r *Run) loss(done []vllm.Record, from, to int) float64 {
	sum, n := 0.0, 0.0
	for i := from; i < to; i++ {
		d := &done[i]
		decoding := r.TPOT[i] * float64(d.Generated-1)
		sum += math.Abs(ratio(float64(d.Final-d.Queued)/1e9, r.TTFT[i]+decoding))
		n++
		if decoding > 0 {
			sum += math.Abs(ratio(float64(d.Final-d.First)/1e9, decoding))
			n++
		}
	}
	e := r.Compare(done, from, to)
	return sum/n/2 + math.Abs(e.TTFTMean) + math.Abs(e.TPOTMean)
}

// Log fits p to the first requests of the run, the fraction part (above 0, at most 1) of all, and returns the errors over
// those and over the rest. The whole load is replayed each time.
func (r *Run) Log(p vllm.Profile, part float64, source string) (*Fitted, error) {
	n := len(r.Requests)
	half := int(math.Round(part * float64(n)))
	if !(part > 0 && part <= 1) || half < 2 {
		return nil, fmt.Errorf("fit: %v of %d requests are too few", part, n)
	}
	f, err := Fit(p, source, func(p vllm.Profile) (float64, error) {
		done, _, err := r.Replay(p)
		if err != nil {
			return 0, err
		}
		return r.loss(done, 0, half), nil
	})
	if err != nil {
		return nil, err
	}
	for _, of := range []struct {
		profile vllm.Profile
		errors  *[2]Errors
	}{{p, &f.Before}, {f.Profile, &f.After}} {
		done, _, err := r.Replay(of.profile)
		if err != nil {
			return nil, err
		}
		of.errors[0] = r.Compare(done, 0, half)
		of.errors[1] = of.errors[0]
		if half < n {
			of.errors[1] = r.Compare(done, half, n)
		}
	}
	f.Parts = [2]int{half, n - half}
	if f.Profile.Basis = vllm.Calibrated; half < n {
		f.Profile.Basis = vllm.Measured
	}
	of := fmt.Sprintf("%d requests that were not fitted", n-half)
	if half == n {
		of = fmt.Sprintf("the %d requests that were fitted, since there are no others", n)
	}
	return f, f.setError(max(.02, math.Abs(f.After[1].TPOTMean)), fmt.Sprintf("at least 0.02; mean TPOT of %s; %s", of, source))
}

func (r *Run) check() error {
	if len(r.Requests) == 0 {
		return errors.New("no requests")
	}
	if !slices.IsSorted(r.Arrivals) {
		return errors.New("requests are not in order of arrival")
	}
	return nil
}

func mean(v []float64) float64 {
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

// percentile interpolates between the ranks, as numpy does.
func percentile(v []float64, p float64) float64 {
	v = slices.Sorted(slices.Values(v))
	at := p / 100 * float64(len(v)-1)
	i := int(at)
	return v[i] + (at-float64(i))*(v[min(i+1, len(v)-1)]-v[i])
}
