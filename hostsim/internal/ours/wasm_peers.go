package ours

import (
	"strconv"

	"warmroute/hostsim/internal/host"
	"warmroute/plugin/gossip"
)

// The module answers other gateways in the filter that routes (peers.listener_port): a simulated proxy has one filter.

// Connect implements router.Peered.
func (w *Wasm) Connect(send func(to, ask string, done func(int, []byte))) { w.send = send }

// ask carries the module's ask to another gateway. Without an answer the call times out.
func (w *Wasm) ask(c *host.Callout, to string) {
	if w.send == nil {
		return
	}
	ask, _ := c.Headers.Get(gossip.Header)
	w.send(to, ask, func(status int, page []byte) {
		c.Respond(host.Response{Headers: host.Headers{{Name: ":status", Value: strconv.Itoa(status)}}, Body: page}, 0)
		w.told()
	})
}

// heldStream is an ask that the module has not answered yet.
type heldStream struct {
	stream *host.Stream
	answer func(status int, page []byte)
}

// Serve implements router.Peered.
func (w *Wasm) Serve(worker int, ask string, answer func(status int, page []byte)) {
	w.asked = true
	defer func() { w.asked = false }()
	s := w.proxy.NewStream(worker)
	s.RequestHeaders(host.Headers{
		{Name: ":method", Value: "GET"}, {Name: ":path", Value: "/warmroute/news"}, {Name: ":authority", Value: "gateway"},
		{Name: gossip.Header, Value: ask},
	}, true)
	w.held = append(w.held, heldStream{s, answer})
	w.told()
}

// told brings the answers that the module has given to gateways that asked.
func (w *Wasm) told() {
	for i := 0; i < len(w.held); {
		h := w.held[i]
		text, answered := h.stream.Downstream().Headers.Get(":status")
		if !answered {
			i++
			continue
		}
		w.held = append(w.held[:i], w.held[i+1:]...)
		status, _ := strconv.Atoi(text)
		page := h.stream.Downstream().Body()
		if !h.stream.Closed() {
			h.stream.Cancel()
		}
		h.answer(status, page)
	}
}
