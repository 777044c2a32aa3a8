package host

import "testing"

func TestStreamLife(t *testing.T) {
	p := run(t, "", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), false)
	s.RequestBody([]byte("hello"), false)
	s.RequestTrailers(Headers{{"T", "1"}})
	s.ResponseHeaders(ok200, false)
	s.ResponseBody([]byte("fine"), false)
	s.ResponseTrailers(Headers{{"u", "2"}})
	wantSaid(t, p, `
		on request_headers 2 3 0
		on request_body 2 5 0
		on request_trailers 2 1
		on response_headers 2 1 0
		on response_body 2 4 0
		on response_trailers 2 1
		on log 2
		on done 2
		on delete 2`)
	if !s.Closed() || s.Reset() || p.VM(0).Streams() != 0 {
		t.Errorf("closed %v, reset %v, %d streams", s.Closed(), s.Reset(), p.VM(0).Streams())
	}
	if got := s.Upstream(); string(got.Body()) != "hello" || !got.Ended || got.Trailers[0] != (Header{"t", "1"}) {
		t.Errorf("upstream got %+v", got)
	}
	if got := s.Downstream(); string(got.Body()) != "fine" || !got.Ended {
		t.Errorf("downstream got %+v", got)
	}
}
