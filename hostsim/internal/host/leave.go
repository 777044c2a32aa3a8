package host

func (h *half) passHeaders() {
	now := h.s.vm.proxy.clock.now
	h.out.Started, h.out.At, h.out.Headers = true, now, h.headers
	if h.end && !h.hasBuffer && !h.hasTrailers {
		h.passEnd()
	}
}

// pass lets a part of the body leave. After the end nothing does: a module that continues the stream inside the body
// callback of the last part loses that part, as Envoy then sends the headers alone with end of stream.
func (h *half) pass(data []byte, end bool) {
	if h.out.Ended {
		return
	}
	if len(data) > 0 {
		h.out.Pieces = append(h.out.Pieces, Piece{h.s.vm.proxy.clock.now, data})
	}
	if end {
		h.passEnd()
	}
}

func (h *half) passTrailers() {
	h.out.Trailers = h.trailers
	h.passEnd()
}

func (h *half) passEnd() {
	if h.out.Ended {
		return
	}
	h.out.Ended, h.out.EndedAt = true, h.s.vm.proxy.clock.now
	if h.isResponse {
		h.s.end()
	}
}
