package host

import (
	"bytes"
	"slices"
	"strconv"
)

// A Callout is an HTTP call that a module made with proxy_http_call. Whoever plays the cluster answers it once, with
// Respond or Fail, from Config.OnCallout or later; without an answer it fails at its timeout.
type Callout struct {
	ID       uint32 // counts from 1 in a process
	Worker   int
	Cluster  string
	Headers  Headers
	Body     []byte
	Trailers Headers
	SentAt   int64 // ns since 1970, virtual
	Timeout  int64 // ns; 0 is none

	vm      *VM
	answer  *Response // while its callback runs
	timeout *event
	done    bool
}

// A Response is the answer to a Callout. Without headers it is a failure.
type Response struct {
	Headers  Headers
	Body     []byte
	Trailers Headers
}

// Respond answers the call after a virtual delay in ns; with 0 the module has the answer when the callback that runs, if
// any, is over. An answer that comes after the timeout, or a second one, is lost.
func (c *Callout) Respond(r Response, delay int64) {
	r.Headers, r.Trailers = r.Headers.lowered(), r.Trailers.lowered()
	c.schedule(&r, delay)
}

// Fail makes the call fail, as a refused or reset connection does, after a virtual delay in ns.
func (c *Callout) Fail(delay int64) { c.schedule(nil, delay) }

// Done says that the module has had its answer or its failure.
func (c *Callout) Done() bool { return c.done }

func (c *Callout) schedule(r *Response, delay int64) {
	p := c.vm.proxy
	p.clock.at(p.clock.now+max(delay, 0), func() { c.deliver(r) })
	if p.entered == 0 {
		p.enter(func() {})
	}
}

// deliver runs the module's callback; nil is a failure.
func (c *Callout) deliver(r *Response) {
	vm := c.vm
	if c.done || vm.dead != nil {
		return
	}
	c.done = true
	if c.timeout != nil {
		c.timeout.off = true
	}
	if vm.fn.callResponse == nil {
		return
	}
	vm.response, vm.callStatus = c, statusOK
	if r == nil || len(r.Headers) == 0 {
		vm.callStatus = statusBrokenConnection
		vm.call(vm.fn.callResponse, vm.root, vm.root, c.ID, 0, 0, 0)
	} else {
		c.answer = r
		vm.call(vm.fn.callResponse, vm.root, vm.root, c.ID, uint32(len(r.Headers)), uint32(len(r.Body)), uint32(len(r.Trailers)))
	}
	vm.response, vm.callStatus, c.answer = nil, statusOK, nil
}

var calloutFuncs = []hostFunc{
	{name: "proxy_http_call", params: "iiiiiiiiii", run: httpCall},
}

// httpCall is proxy_http_call: cluster, headers, body, trailers, timeout in ms, where to write the call's id.
func httpCall(vm *VM, stack []uint64) status {
	cluster, clusterInside := vm.bytes(stack, 0)
	headers, headersInside := vm.bytes(stack, 2)
	body, bodyInside := vm.bytes(stack, 4)
	trailers, trailersInside := vm.bytes(stack, 6)
	if !clusterInside || !headersInside || !bodyInside || !trailersInside || vm.returnU32(stack, 9, 0) != statusOK {
		return statusInvalidMemoryAccess
	}
	p := vm.proxy
	c := &Callout{
		Worker: vm.worker, Cluster: string(cluster), Headers: parseHeaders(headers), Body: bytes.Clone(body),
		Trailers: parseHeaders(trailers), SentAt: p.clock.now, Timeout: int64(int32(u32(stack, 8))) * nsPerMS, vm: vm,
	}
	if c.Timeout < 0 || p.config.Clusters != nil && !slices.Contains(p.config.Clusters, c.Cluster) {
		return statusBadArgument
	}
	for _, required := range []string{":method", ":path", ":authority"} {
		if _, found := c.Headers.Get(required); !found {
			return statusBadArgument
		}
	}
	if len(c.Body) > 0 {
		c.Headers.Set("content-length", strconv.Itoa(len(c.Body)))
	}
	c.ID = p.nextID
	p.nextID++
	vm.returnU32(stack, 9, c.ID)
	if c.Timeout > 0 {
		c.timeout = p.clock.at(c.SentAt+c.Timeout, func() { c.deliver(nil) })
	}
	if p.config.OnCallout != nil {
		p.config.OnCallout(c)
	}
	return statusOK
}
