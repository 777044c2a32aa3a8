package faults

import (
	"strconv"
	"strings"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/config"
)

// Exchange is one request and its response.
type Exchange struct {
	world    *World
	Stream   *host.Stream
	body     []byte // that the client has sent
	all      bool
	Replica  *Replica // that has it; nil: none
	Tried    []string
	status   int
	parts    [][]byte // of the response's body that are still to come
	begun    bool     // the response has
	broke    bool     // the replica stopped in its middle
	answered []byte   // what of its body was sent
}

// Open begins a request with its headers: pairs of name and value after the usual ones.
func (w *World) Open(worker int, path string, length int, headers ...string) *Exchange {
	x := &Exchange{world: w, Stream: w.Proxy.NewStream(worker)}
	list := host.Headers{
		{Name: ":method", Value: "POST"}, {Name: ":path", Value: path}, {Name: ":authority", Value: "gateway"},
		{Name: "content-type", Value: "application/json"},
	}
	if length > 0 {
		list = append(list, host.Header{Name: "content-length", Value: strconv.Itoa(length)})
	}
	for i := 0; i+1 < len(headers); i += 2 {
		list = append(list, host.Header{Name: headers[i], Value: headers[i+1]})
	}
	x.Stream.RequestHeaders(list, length == 0)
	x.all = length == 0
	return x
}

// Write sends a part of the body.
func (x *Exchange) Write(part []byte, last bool) {
	x.body = append(x.body, part...)
	x.all = x.all || last
	x.Stream.RequestBody(part, last)
}

// Forwarded says whether the whole request has left the proxy.
func (x *Exchange) Forwarded() bool { return x.Stream.Upstream().Ended }

// Started says whether its headers have.
func (x *Exchange) Started() bool { return x.Stream.Upstream().Started }

// Route chooses a replica as Envoy does with override_host and a retry policy: the listed ones that it has, in order, and
// then, or if none is listed, any that answers.
func (x *Exchange) Route() {
	if x.Replica != nil || !x.Started() || x.Stream.Closed() {
		return
	}
	w := x.world
	var order []string
	if text, ok := x.Stream.Upstream().Headers.Get(config.EndpointHeader); ok {
		order = strings.Split(text, ",")
	}
	for _, r := range w.Replicas {
		order = append(order, r.Address)
	}
	for _, address := range order {
		r := w.at(address)
		if r == nil || len(x.Tried) == 3 {
			continue
		}
		x.Tried = append(x.Tried, address)
		upset := len(x.Tried) == 1 && w.Upsets != "" && strings.Contains(string(x.body), w.Upsets)
		if r.Mode != Refuses && !upset {
			x.Replica = r
			r.inFlight++
			break
		}
	}
	u := upstream{attempts: uint64(max(len(x.Tried), 1)), client: w.Client}
	if x.Replica != nil {
		u.address, u.pending = x.Replica.Address, w.Pending
	} else if len(x.Tried) > 0 {
		u.address = x.Tried[len(x.Tried)-1] // Envoy names the last one tried
	}
	w.served[x.Stream] = u
}

// Answer lets the replica that has the request answer it in full. It does nothing for one that hangs.
func (x *Exchange) Answer() {
	for x.Step() {
	}
}

// Step lets the next part of the response come, and reports whether there was one.
func (x *Exchange) Step() bool {
	if x.Stream.Closed() || !x.Started() {
		return false
	}
	if !x.begun {
		return x.begin()
	}
	if len(x.parts) == 0 {
		return false
	}
	part := x.parts[0]
	x.parts = x.parts[1:]
	if part == nil { // it breaks
		x.broke = true
		u := x.world.served[x.Stream]
		u.broke = true
		x.world.served[x.Stream] = u
		x.Stop()
		return false
	}
	x.answered = append(x.answered, part...)
	x.Stream.ResponseBody(part, len(x.parts) == 0)
	if len(x.parts) == 0 {
		x.release()
	}
	return len(x.parts) > 0
}

func (x *Exchange) begin() bool {
	r, kind := x.Replica, "application/json"
	switch {
	case r == nil:
		x.status, x.parts = 503, [][]byte{[]byte("no healthy upstream")}
	case r.Mode == Hangs:
		return false
	case r.Mode == Fails || x.world.Poison != "" && strings.Contains(string(x.body), x.world.Poison):
		x.status, x.parts = 500, [][]byte{[]byte(`{"error":"it fails"}`)}
	case r.Denies != 0:
		x.status, x.parts = r.Denies, [][]byte{[]byte(`{"error":"no"}`)}
	case !x.Forwarded():
		return false
	default:
		u, stream, ok := r.serve(x.Stream.Upstream().Body())
		switch {
		case !ok:
			x.status, x.parts = 400, [][]byte{[]byte(`{"error":"bad"}`)}
		case stream:
			kind = "text/event-stream"
			x.status, x.parts = 200, [][]byte{[]byte("data: {\"choices\":[]}\n\n"), []byte("data: " + string(u.json()) + "\n\n"), []byte("data: [DONE]\n\n")}
		default:
			x.status, x.parts = 200, [][]byte{u.json()}
		}
		if r.Mode == Breaks {
			x.parts = [][]byte{x.parts[0][:len(x.parts[0])/2], nil}
		}
		r.Served++
	}
	x.begun = true
	x.Stream.ResponseHeaders(host.Headers{{Name: ":status", Value: strconv.Itoa(x.status)}, {Name: "content-type", Value: kind}}, false)
	return true
}

// Stop ends the exchange before its end: the client hangs up, or the replica.
func (x *Exchange) Stop() {
	x.Stream.Cancel()
	x.release()
}

func (x *Exchange) release() {
	if x.Replica != nil {
		x.Replica.inFlight--
		x.Replica = nil
	}
	delete(x.world.served, x.Stream)
}

// Decision is the decision's fields; empty if the request was not steered.
func (x *Exchange) Decision() map[string]string {
	text, _ := x.Stream.FilterState("wasm.warmroute")
	fields := map[string]string{}
	for pair := range strings.SplitSeq(text, ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			fields[name] = value
		}
	}
	return fields
}
