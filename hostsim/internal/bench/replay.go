package bench

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"warmroute/hostsim/internal/stats"
	"warmroute/hostsim/internal/workload"
)

// Sent is a recorded request, ready to be sent again.
type Sent struct {
	workload.Request               // At is when it came, since the recording's start
	After            int           // the request of its session before it, an earlier index; -1: none
	Think            time.Duration // from the end of that one's answer to this request
}

// Pace is when recorded requests are sent again.
type Pace struct {
	Speed  float64 // that many times as fast as recorded, > 0
	Closed bool    // a request waits for the answer before it in its session, and for its think time
}

// Replay sends recorded requests at their times, at most Concurrency at once, and measures them; requests are in order of time. Where ctx
// is cancelled, what was answered comes with the error. Errors: an option out of range, a URL that is not allowed, ctx cancelled.
func Replay(ctx context.Context, o Options, name string, requests []Sent, pace Pace) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if !(pace.Speed > 0) {
		return nil, fmt.Errorf("speed: %v is not above 0", pace.Speed)
	}
	o.Timeout = cmp.Or(o.Timeout, 2*time.Minute)
	c := newClient(o)
	defer c.http.CloseIdleConnections()
	p := &playing{client: c, options: o, requests: requests, pace: pace, began: time.Now(), places: make(chan struct{}, o.Concurrency)}
	p.records, p.late = make([]Record, len(requests)), make([]float64, len(requests))
	p.answered = make([]chan struct{}, len(requests))
	for i := range requests {
		p.answered[i] = make(chan struct{})
	}
	var all sync.WaitGroup
	for i := range requests {
		all.Go(func() { p.play(ctx, i) })
	}
	all.Wait()
	var records []Record
	var late []float64
	for i, r := range p.records {
		if r.Session != "" {
			records, late = append(records, r), append(late, p.late[i])
		}
	}
	result := summarize(name, o, records, time.Since(p.began))
	result.Late = new(stats.NewDist(late))
	return result, context.Cause(ctx)
}

// playing is one Replay under way.
type playing struct {
	client   *client
	options  Options
	requests []Sent
	pace     Pace
	began    time.Time
	places   chan struct{} // one for each request in flight
	answered []chan struct{}

	mu      sync.Mutex
	done    int
	records []Record  // with a Session once they are answered
	late    []float64 // ms between when a request was due and when it was sent
}

// play sends request i when it is due.
func (p *playing) play(ctx context.Context, i int) {
	defer close(p.answered[i])
	r := &p.requests[i]
	due := p.began.Add(p.at(r.At))
	if p.pace.Closed && r.After >= 0 {
		select {
		case <-ctx.Done():
			return
		case <-p.answered[r.After]:
		}
		due = time.Now().Add(p.at(r.Think))
	}
	wait := time.NewTimer(time.Until(due))
	defer wait.Stop()
	select {
	case <-ctx.Done():
		return
	case <-wait.C:
	}
	select {
	case <-ctx.Done():
		return
	case p.places <- struct{}{}:
	}
	late := milliseconds(time.Since(due))
	record, _ := p.client.do(ctx, r.Request)
	<-p.places
	if ctx.Err() != nil && record.Failed() {
		return
	}
	record.Index = i
	p.mu.Lock()
	defer p.mu.Unlock()
	p.records[i], p.late[i] = record, late
	if p.done++; p.options.Progress != nil {
		p.options.Progress(p.done, len(p.requests))
	}
}

func (p *playing) at(recorded time.Duration) time.Duration {
	return time.Duration(float64(recorded) / p.pace.Speed)
}
