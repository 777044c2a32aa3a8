package host

import (
	"bytes"
	"slices"
	"strconv"
)

// A Callout is an HTTP call that a module made with proxy_http_call. The caller of this package answers it once, with
// Respond, Refuse or Fail, from Config.OnCallout or later. Without an answer the module gets, as from Envoy 1.40, a 504
// of Envoy's own at the timeout; only a response that breaks off gives it no headers.
type Callout struct {
	ID       uint32 // as the module knows it: 4, 8, 12 … in each VM, as in Envoy
	Worker   int
	Cluster  string
	Headers  Headers
	Body     []byte
	Trailers Headers
	SentAt   int64 // ns since 1970, virtual
	Timeout  int64 // ns; 0 is none

	vm      *VM
	root    *root
	answer  *Response // while its callback runs
	timeout *event
	done    bool
}

// A Response is the answer to a Callout. Without headers it is like Fail.
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

// Refuse makes the connection fail after a virtual delay in ns: the module gets Envoy's own 503.
func (c *Callout) Refuse(delay int64) {
	c.schedule(own(503, "upstream connect error or disconnect/reset before headers. reset reason: remote connection failure"), delay)
}

// Fail breaks the response off after a virtual delay in ns, be it by a reset or by the timeout: the module gets no headers, and
// status 11, "reset".
func (c *Callout) Fail(delay int64) { c.schedule(nil, delay) }

// own is a response that Envoy makes itself.
func own(code int, body string) *Response {
	r := reply{code: code, body: body}
	return &Response{Headers: r.message(), Body: []byte(body)}
}

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
	if c.done || vm.dead != nil || vm.roots[c.root.id] == nil {
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
		vm.call(vm.fn.callResponse, c.root.id, c.root.id, c.ID, 0, 0, 0)
	} else {
		c.answer = r
		vm.call(vm.fn.callResponse, c.root.id, c.root.id, c.ID, uint32(len(r.Headers)), uint32(len(r.Body)), uint32(len(r.Trailers)))
	}
	vm.response, vm.callStatus, c.answer = nil, statusOK, nil
}

// callIDStep is Envoy's; the lowest two bits tell kinds of calls apart.
const callIDStep = 4

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
		Trailers: parseHeaders(trailers), SentAt: p.clock.now, Timeout: int64(int32(u32(stack, 8))) * nsPerMS, vm: vm, root: vm.root(),
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
	vm.callID += callIDStep
	c.ID = vm.callID
	vm.returnU32(stack, 9, c.ID)
	if c.Timeout > 0 {
		c.timeout = p.clock.at(c.SentAt+c.Timeout, func() { c.deliver(own(504, "upstream request timeout")) })
	}
	if p.config.OnCallout != nil {
		p.config.OnCallout(c)
	}
	return statusOK
}
