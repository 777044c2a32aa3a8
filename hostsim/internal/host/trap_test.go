package host

import (
	"strings"
	"testing"
)

// TestTrapKillsOneVM has two workers with two streams each; one stream traps.
func TestTrapKillsOneVM(t *testing.T) {
	p := run(t, "configure|tick|1000\nrequest_headers|unless-path|/\nrequest_headers|trap", Config{Workers: 2})
	other, unharmed := p.NewStream(0), p.NewStream(1)
	other.RequestHeaders(get("/"), false)
	unharmed.RequestHeaders(get("/"), false)
	victim := p.NewStream(0)
	victim.RequestHeaders(get("/trap"), true)

	if status, _ := victim.Downstream().Headers.Get(":status"); status != "503" || victim.Details() != "wasm_fail_stream" {
		t.Errorf("the request that trapped got %s, %q", status, victim.Details())
	}
	dead := p.VM(0).Dead()
	if dead == nil || !strings.Contains(dead.Error(), "proxy_on_request_headers") {
		t.Errorf("the VM died of %v", dead)
	}
	if p.VM(1).Dead() != nil {
		t.Errorf("the other VM died of %v", p.VM(1).Dead())
	}
	before := len(said(p))
	other.Cancel()
	p.Advance(start + 10_000_000_000)
	for _, line := range said(p)[before:] {
		if line != "on tick 1" {
			t.Errorf("the dead VM said %q", line)
		}
	}
	if ticks := len(said(p)) - before; ticks != 10 {
		t.Errorf("%d ticks, want those of the living VM, 10", ticks)
	}
	unharmed.RequestBody([]byte("x"), true)
	answer(unharmed)
	if got := left(unharmed.Downstream()); got != "headers fine end" {
		t.Errorf("the other VM's stream got %q", got)
	}
	critical := 0
	for _, e := range p.Logs() {
		if e.Level == LevelCritical {
			critical++
		}
	}
	if critical != 1 {
		t.Errorf("%d critical entries, want 1", critical)
	}
}

func TestFailurePolicies(t *testing.T) {
	const trap = "request_headers|unless-path|/\nrequest_headers|trap"
	tests := []struct {
		name              string
		policy            FailurePolicy
		other, next, last string // of the dead VM's other stream, of the next request, and of one after a second trap
	}{
		{"closed", FailClosed, "503", "503", "503"},
		{"open", FailOpen, "200", "200", "200"},
		{"reload", FailReload, "503", "200", "503"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, trap, Config{FailurePolicy: test.policy})
			status := func(s *Stream) string {
				answer(s)
				status, _ := s.Downstream().Headers.Get(":status")
				return status
			}
			send := func(path string) *Stream {
				s := p.NewStream(0)
				s.RequestHeaders(get(path), true)
				return s
			}
			other := send("/")
			if got := status(send("/trap")); got != "503" {
				t.Errorf("the request that trapped got %s", got)
			}
			if got := status(other); got != test.other {
				t.Errorf("the VM's other stream got %s, want %s", got, test.other)
			}
			if got := status(send("/")); got != test.next {
				t.Errorf("the next request got %s, want %s", got, test.next)
			}
			send("/trap")
			if got := status(send("/")); got != test.last {
				t.Errorf("after a second trap a request got %s, want %s", got, test.last)
			}
			if test.policy == FailReload {
				p.Advance(p.Now() + defaultReloadBackoff)
				if got := status(send("/")); got != "200" {
					t.Errorf("after the backoff a request got %s", got)
				}
			}
		})
	}
}

func TestTrapElsewhere(t *testing.T) {
	tests := []struct{ name, script string }{
		{"tick", "configure|tick|1000\ntick|trap"},
		{"stream's creation", "create|unless-path|x\nrequest_headers|trap"},
		{"response", "response_headers|trap"},
		{"body", "request_body|trap"},
		{"log", "log|trap"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, test.script, Config{})
			s := p.NewStream(0)
			p.Advance(p.Now() + 1_000_000_000)
			s.RequestHeaders(get("/"), false)
			s.RequestBody([]byte("x"), true)
			answer(s)
			if !s.Closed() {
				t.Error("the stream is still open")
			}
			if p.VM(0).Dead() == nil {
				t.Error("the VM lives")
			}
			for _, line := range said(p) {
				if line == "on done 2" {
					t.Error("done came after the trap")
				}
			}
		})
	}
}

func TestTrapAfterTheResponseBeganResets(t *testing.T) {
	p := run(t, "response_body|trap", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	answer(s)
	if !s.Reset() || s.Local() {
		t.Errorf("reset %v, local %v", s.Reset(), s.Local())
	}
}
