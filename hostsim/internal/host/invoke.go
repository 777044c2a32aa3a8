package host

// Which callback of a message.
type part int

const (
	headersOf part = iota
	bodyOf
	trailersOf
)

// invoke runs a callback; without one, or without the VM where that is allowed, the answer is to continue. goOn is false
// when the message needs nothing more: the callback trapped, the stream has ended or a local reply has taken over.
func (h *half) invoke(which part, size, end uint32) (action uint32, goOn bool) {
	s := h.s
	if s.bypass {
		return 0, true
	}
	if s.vm.dead != nil {
		if s.bypass = s.created && s.vm.proxy.config.FailurePolicy == FailOpen; s.bypass {
			return 0, true
		}
		s.fail()
		return 0, false
	}
	alive := true
	switch f := h.fn; {
	case which == headersOf && f.headers != nil:
		action, alive = s.vm.call(f.headers, s.id, s.id, size, end)
	case which == bodyOf && f.body != nil:
		action, alive = s.vm.call(f.body, s.id, s.id, size, end)
	case which == trailersOf && f.trailers != nil:
		action, alive = s.vm.call(f.trailers, s.id, s.id, size)
	}
	if !alive {
		s.fail()
		return 0, false
	}
	return action, !s.closed && !h.aborted
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}
