package ours

import (
	"slices"
	"strconv"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// wasmTicket is a stream of the simulated proxy.
type wasmTicket struct {
	engine *Wasm
	stream *host.Stream
}

// Held says whether the module holds the request.
func (t *wasmTicket) Held() bool { return !t.stream.Upstream().Started }

func (t *wasmTicket) Decision() string {
	text, _ := t.stream.FilterState("wasm.warmroute")
	return text
}

func (t *wasmTicket) Endpoints() []string {
	steering, ok := t.stream.FilterState(t.engine.state)
	if t.engine.header != "" {
		steering, ok = t.stream.Upstream().Headers.Get(t.engine.header)
	}
	if !ok {
		return nil
	}
	return strings.Split(steering, ",")
}

// Rank implements router.Ranked.
func (t *wasmTicket) Rank() string {
	if t.engine.header == "" {
		rank, _ := t.stream.FilterState("wasm.warmroute_rank")
		return rank
	}
	rank, _ := t.stream.Upstream().Headers.Get(config.RankHeader)
	return rank
}

func (t *wasmTicket) Headers(served string, status int, contentType string) {
	t.engine.served = served
	t.stream.ResponseHeaders(host.Headers{
		{Name: ":status", Value: strconv.Itoa(status)}, {Name: "content-type", Value: contentType},
	}, false)
	t.engine.told()
}

func (t *wasmTicket) Chunk(part []byte, ends bool) {
	t.stream.ResponseBody(part, ends)
	t.engine.told()
}

// Cancel implements router.Ticket.
func (t *wasmTicket) Cancel() {
	w := t.engine
	w.late = slices.DeleteFunc(w.late, func(late *wasmTicket) bool { return late == t })
	if !t.stream.Closed() {
		if to := t.Endpoints(); len(to) > 0 {
			w.served, _ = config.SplitRank(to[0])
		}
		t.stream.Cancel()
	}
	w.told()
}
