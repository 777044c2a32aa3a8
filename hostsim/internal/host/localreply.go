package host

import (
	"fmt"
	"strconv"
)

// reply is a response that comes from the proxy and not from the upstream.
type reply struct {
	code    int
	body    string
	headers Headers
	details string
}

// Reply answers the request in the upstream's place with a local reply, as Envoy does when it cannot reach the upstream
// (503, "upstream_reset_before_response_started{…}") or a timeout passes (504). details is for the access log.
func (s *Stream) Reply(code int, body, details string) {
	s.vm.proxy.enter(func() { s.reply(reply{code: code, body: body, details: details}) })
}

// reply ends the request's way and answers it: through the module's response callbacks if no response has come yet,
// past them if one is being held, and with a reset if one has left.
func (s *Stream) reply(r reply) {
	if s.closed {
		return
	}
	s.request.aborted = true
	switch {
	case s.response.out.Started:
		s.details = r.details
		s.abort()
	case s.response.seen:
		s.direct(r)
	default:
		s.local, s.details = true, r.details
		s.response.begin(r.message(), r.body == "")
		if r.body != "" {
			s.response.data([]byte(r.body), true)
		}
	}
}

// direct answers past the module.
func (s *Stream) direct(r reply) {
	s.local, s.details = true, r.details
	s.request.aborted = true
	h := &s.response
	h.aborted = true
	now := s.vm.proxy.clock.now
	h.headers = r.message()
	h.out = Message{Started: true, At: now, Headers: h.headers}
	h.pass([]byte(r.body), true)
}

// message makes the headers as Envoy does.
func (r *reply) message() Headers {
	headers := append(Headers{{":status", strconv.Itoa(r.code)}}, r.headers...)
	if r.body == "" {
		return headers
	}
	headers.Set("content-length", strconv.Itoa(len(r.body)))
	if _, found := headers.Get("content-type"); !found {
		headers = append(headers, Header{"content-type", "text/plain"})
	}
	return headers
}

// sendLocalResponse is proxy_send_local_response: code, details, body, headers, gRPC status.
func sendLocalResponse(vm *VM, stack []uint64) status {
	details, detailsInside := vm.bytes(stack, 1)
	body, bodyInside := vm.bytes(stack, 3)
	pairs, pairsInside := vm.bytes(stack, 5)
	if !detailsInside || !bodyInside || !pairsInside {
		return statusInvalidMemoryAccess
	}
	s := vm.stream()
	if s == nil {
		return statusOK
	}
	r := reply{code: int(u32(stack, 0)), body: string(body), headers: parseHeaders(pairs), details: string(details)}
	if grpc := int32(u32(stack, 7)); grpc >= 0 && grpc <= 16 {
		if kind, _ := s.request.headers.Get("content-type"); isGRPC(kind) {
			r.headers = append(r.headers, Header{"grpc-status", fmt.Sprint(grpc)})
		}
	}
	vm.after = append(vm.after, func() { s.reply(r) })
	return statusOK
}

func isGRPC(contentType string) bool {
	const grpc = "application/grpc"
	return len(contentType) >= len(grpc) && contentType[:len(grpc)] == grpc
}
