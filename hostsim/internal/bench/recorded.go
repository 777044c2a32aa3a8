package bench

import (
	"fmt"
	"slices"
	"time"

	"warmroute/hostsim/internal/trace"
	"warmroute/hostsim/internal/workload"
)

// Recorded makes a trace's requests ready for Replay, the first of them at 0, with a cache_salt or "". They ask for the model; where it is "", for their own, or
// for the first of those listed where the server does not list theirs: renamed is how many. None listed: nothing is known of the server.
// Errors: a body that cannot be sent again.
func Recorded(t *trace.Trace, model string, listed []string, salt string) (requests []Sent, renamed int, err error) {
	maker := trace.Maker{Chat: true}
	requests = make([]Sent, len(t.Requests))
	for i := range t.Requests {
		r := &t.Requests[i]
		body, path := maker.Append(nil, t, r)
		its := model
		if len(listed) > 0 && !slices.Contains(listed, ModelOf(body)) {
			its = listed[0]
			renamed++
		}
		if body, err = Body(path, body, its, salt, r.OutputTokens); err != nil {
			return nil, 0, fmt.Errorf("request %d: %w", i+1, err)
		}
		requests[i] = Sent{After: r.After, Think: time.Duration(r.Think), Request: workload.Request{
			At: time.Duration(r.At - t.Requests[0].At), Session: fmt.Sprintf("%d", r.Session), Path: path, Body: body, OutputTokens: r.OutputTokens,
		}}
	}
	return requests, renamed, nil
}
