package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocalResponse(t *testing.T) {
	p := run(t, "request_headers|local|429|too_many|slow down|retry-after=1\nrequest_headers|return|1", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), false)
	s.RequestBody([]byte("ignored"), true)
	wantSaid(t, p, `
		on request_headers 2 3 0
		local(429,too_many,slow down,retry-after=1) = ok
		on response_headers 2 4 0
		on response_body 2 9 1
		on log 2
		on done 2
		on delete 2`)
	want := Headers{{":status", "429"}, {"retry-after", "1"}, {"content-length", "9"}, {"content-type", "text/plain"}}
	down := s.Downstream()
	if diff := cmp.Diff(want, down.Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if string(down.Body()) != "slow down" || !s.Closed() || !s.Local() || s.Details() != "too_many" || s.Upstream().Started {
		t.Errorf("body %q, closed %v, local %v, details %q, upstream %s", down.Body(), s.Closed(), s.Local(), s.Details(), left(s.Upstream()))
	}
}

func TestLocalResponseEvenWithContinue(t *testing.T) {
	p := run(t, "request_headers|local|403|no||", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	if s.Upstream().Started || !s.Local() {
		t.Errorf("upstream %s, local %v", left(s.Upstream()), s.Local())
	}
}

func TestLocalResponsePassesHeldResponse(t *testing.T) {
	p := run(t, "response_headers|local|502|bad|oops|", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	s.ResponseHeaders(ok200, false)
	status, _ := s.Downstream().Headers.Get(":status")
	if status != "502" || left(s.Downstream()) != "headers oops end" {
		t.Errorf("status %s, downstream %s", status, left(s.Downstream()))
	}
}

func TestLocalResponseTooLateResets(t *testing.T) {
	p := run(t, "response_body|local|502|bad|oops|", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	s.ResponseHeaders(ok200, false)
	s.ResponseBody([]byte("x"), false)
	if !s.Reset() || s.Local() {
		t.Errorf("reset %v, local %v", s.Reset(), s.Local())
	}
}

func TestReplyOfTheProxy(t *testing.T) {
	p := run(t, "", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	s.Reply(503, "", "upstream_reset_before_response_started{connection_failure}")
	wantSaid(t, p, `
		on request_headers 2 3 1
		on response_headers 2 1 1
		on log 2
		on done 2
		on delete 2`)
	if !s.Local() || !s.Closed() {
		t.Errorf("local %v, closed %v", s.Local(), s.Closed())
	}
}

func TestCancel(t *testing.T) {
	for _, test := range []struct{ name, script string }{
		{"paused", "request_headers|return|1"},
		{"running", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, test.script, Config{})
			s := p.NewStream(0)
			s.RequestHeaders(get("/"), false)
			s.Cancel()
			s.Cancel()
			s.RequestBody([]byte("late"), true)
			wantSaid(t, p, "on request_headers 2 3 0\non log 2\non done 2\non delete 2")
			if !s.Reset() || p.VM(0).Streams() != 0 {
				t.Errorf("reset %v, %d streams", s.Reset(), p.VM(0).Streams())
			}
		})
	}
}

func TestCloseStream(t *testing.T) {
	for _, test := range []struct{ kind, said string }{
		{"0", "ok"}, {"1", "ok"}, {"4", "status 2"},
	} {
		p := run(t, "request_headers|close|"+test.kind, Config{})
		s := p.NewStream(0)
		s.RequestHeaders(get("/"), true)
		if want := test.said == "ok"; s.Reset() != want || s.Closed() != want {
			t.Errorf("close(%s): reset %v, closed %v", test.kind, s.Reset(), s.Closed())
		}
		if got := said(p)[1]; got != "close("+test.kind+") = "+test.said {
			t.Errorf("got %q", got)
		}
	}
}
