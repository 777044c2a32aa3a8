package host

// How far a message's way through the module is stopped.
type pause int

const (
	running    pause = iota
	stopped          // by a callback; later parts still come to their callbacks
	stoppedAll       // by the headers callback; nothing more comes to any callback until resumed
)

// half is one direction of a stream: a request or a response, from its arrival, through the module's callbacks, to
// its departure. It follows Envoy's filter manager (commonContinue, commonHandleAfterDataCallback) and the
// buffering that Envoy's wasm filter adds in decodeData and encodeData.
type half struct {
	s          *Stream
	fn         *messageCallbacks
	isResponse bool
	aborted    bool // a local reply has taken over

	seen        bool // the headers have arrived
	headers     Headers
	headersOpen bool // the module can reach them
	trailers    Headers
	hasTrailers bool
	trailerOpen bool

	paused    pause
	end       bool // headers or body had end of stream
	buffer    []byte
	hasBuffer bool   // even of 0 bytes
	buffering bool   // the body callback sees the buffer, to which parts are added
	limited   bool   // the buffer is one that may not exceed the limit
	tooLarge  bool   // for the router to keep for a retry
	chunk     []byte // what the body callback sees otherwise
	chunkOpen bool
	out       Message
}

// begin is the arrival of the headers.
func (h *half) begin(headers Headers, end bool) {
	if h.seen || h.s.closed || h.aborted {
		return
	}
	h.seen, h.headers, h.end, h.headersOpen = true, headers, end, true
	action, goOn := h.invoke(headersOf, uint32(len(headers)), flag(end))
	if !goOn {
		return
	}
	switch {
	case action == headersContinue || action == headersContinueEnd:
		h.headersOpen = false
		if !h.out.Started {
			h.passHeaders()
		}
	case action == headersStop && h.s.vm.proxy.config.AllowOnHeadersStopIteration:
		h.paused = stopped
	default:
		h.paused = stoppedAll
		h.limited = action == headersStopAllBuffer
	}
}

// data is the arrival of a part of the body.
func (h *half) data(chunk []byte, end bool) {
	if h.s.closed || h.aborted || !h.seen || h.end || h.hasTrailers {
		return
	}
	h.end = end
	if h.paused == stoppedAll {
		h.hold(chunk)
		return
	}
	h.deliver(chunk, end)
}

// deliver shows a part of the body to the module, and does with it what the module's answer says.
func (h *half) deliver(chunk []byte, end bool) {
	merged := h.buffering
	if merged {
		h.add(chunk)
	} else {
		h.chunk, h.chunkOpen = chunk, true
	}
	exceeded := h.exceeded() // Envoy's answer to that waits for the callback
	action, goOn := h.invoke(bodyOf, uint32(len(h.view())), flag(end))
	chunk = h.chunk
	h.buffering, h.chunkOpen, h.chunk = false, false, nil
	if !goOn {
		return
	}
	if exceeded {
		h.refuse()
		return
	}
	switch action {
	case dataContinue:
		switch {
		case h.paused != running:
			if !merged {
				h.add(chunk)
			}
			h.resume()
		case merged:
			h.passHeld(end)
		default:
			h.keep(chunk)
			h.pass(chunk, end)
		}
	case dataStopBuffer:
		h.paused, h.limited = stopped, true
		h.buffering = true
		if !merged {
			h.hold(chunk)
		}
	case dataStopWatermark:
		h.paused, h.limited = stopped, false
		if !merged {
			h.hold(chunk)
		}
	default: // the part is lost
		h.paused = stopped
	}
}

// finish is the arrival of the trailers.
func (h *half) finish(trailers Headers) {
	if h.s.closed || h.aborted || !h.seen || h.end || h.hasTrailers {
		return
	}
	h.trailers, h.hasTrailers = trailers, true
	if h.paused != stoppedAll {
		h.deliverTrailers()
	}
}

func (h *half) deliverTrailers() {
	h.trailerOpen = true
	action, goOn := h.invoke(trailersOf, uint32(len(h.trailers)), 0)
	switch {
	case !goOn:
	case action != 0:
		h.paused = stopped
	default:
		h.trailerOpen = false
		if h.paused != running {
			h.resume()
		} else {
			h.passTrailers()
		}
	}
}

// resume lets go of what is held. What no callback has seen comes to its callback now. Inside the headers callback it
// sends the headers, as in Envoy, whatever the callback returns then.
func (h *half) resume() {
	if h.s.closed || h.aborted || !h.seen {
		return
	}
	if h.paused == running {
		if !h.out.Started {
			h.passHeaders()
		}
		return
	}
	unseen := h.paused == stoppedAll
	h.paused = running
	if !h.out.Started {
		h.passHeaders()
	}
	if h.hasBuffer && !h.s.closed {
		if end := h.end && !h.hasTrailers; unseen {
			held := h.buffer
			h.buffer, h.hasBuffer = nil, false
			h.deliver(held, end)
		} else {
			h.passHeld(end)
		}
	}
	if !h.hasTrailers || h.s.closed || h.aborted {
		return
	}
	if unseen {
		h.deliverTrailers()
	} else {
		h.passTrailers()
	}
}
