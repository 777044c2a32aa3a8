package host

// What a half of a stream holds back, and how much of that it may.

// passHeld lets the buffer leave. Where the router keeps requests for a retry it stays in place all the same, and leaves
// again with what is added to it.
func (h *half) passHeld(end bool) {
	held := h.buffer
	if !h.kept(0) {
		h.buffer, h.hasBuffer = nil, false
	}
	h.pass(held, end)
}

// keep is the router's: it keeps what it is sent for a retry, in the buffer that also has what a callback holds.
func (h *half) keep(chunk []byte) {
	if len(chunk) > 0 && h.kept(len(chunk)) {
		h.add(chunk)
	}
}

// kept says whether the router keeps this message with so many bytes more. It gives up for good on one that is too large.
func (h *half) kept(more int) bool {
	config := &h.s.vm.proxy.config
	h.tooLarge = h.tooLarge || len(h.buffer)+more > config.BodyLimit
	return !h.isResponse && !config.NoRetries && !h.tooLarge
}

// hold adds to the buffer, and refuses the message if that is too much.
func (h *half) hold(chunk []byte) {
	h.add(chunk)
	if h.exceeded() {
		h.refuse()
	}
}

func (h *half) exceeded() bool {
	return h.limited && len(h.buffer) > h.s.vm.proxy.config.BodyLimit
}

func (h *half) refuse() {
	if h.isResponse {
		h.s.reply(reply{code: 500, body: "Internal Server Error", details: "response_payload_too_large"})
	} else {
		h.s.reply(reply{code: 413, body: "Payload Too Large", details: "request_payload_too_large"})
	}
}

// add makes the first part the buffer, without copying it.
func (h *half) add(chunk []byte) {
	if len(h.buffer) == 0 {
		h.buffer = chunk[:len(chunk):len(chunk)]
	} else {
		h.buffer = append(h.buffer, chunk...)
	}
	h.hasBuffer = true
}

// view is the body as the module sees it now.
func (h *half) view() []byte {
	switch {
	case h.buffering:
		return h.buffer
	case h.chunkOpen:
		return h.chunk
	}
	return nil
}
