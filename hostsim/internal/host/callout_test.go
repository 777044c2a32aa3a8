package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

const goodCall = "http|metrics|:method=POST;:path=/m;:authority=x|body|t=1|500"

func TestCalloutAnswered(t *testing.T) {
	var made *Callout
	p := run(t, "configure|"+goodCall+"\ncall|pairs|6\ncall|get|6|:status\ncall|pairs|7\ncall|buffer|4|0|-1\ncall|buffersize|4\ncall|status",
		Config{OnCallout: func(c *Callout) {
			made = c
			c.Respond(Response{Headers: Headers{{":Status", "200"}}, Body: []byte("load 3"), Trailers: Headers{{"T", "2"}}}, 20e6)
		}})
	want := Headers{{":method", "POST"}, {":path", "/m"}, {":authority", "x"}, {"content-length", "4"}}
	if diff := cmp.Diff(want, made.Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if made.Cluster != "metrics" || string(made.Body) != "body" || made.Timeout != 500e6 || made.SentAt != start || made.Trailers[0].Value != "1" {
		t.Errorf("made %+v", made)
	}
	p.Advance(start + 20e6 - 1)
	if made.Done() {
		t.Error("answered early")
	}
	p.Advance(start + 10e9)
	wantSaid(t, p, `
		http(metrics,:method=POST;:path=/m;:authority=x,body,t=1,500) = 4
		on call 1 4 1 6 1
		pairs(6) = :status=200
		get(6,:status) = 200
		pairs(7) = t=2
		buffer(4,0,-1) = load 3
		buffersize(4) = 6
		status() = 0`)
}

func TestCalloutFailures(t *testing.T) {
	const (
		broken  = "on call 1 4 0 0 0\nstatus() = 11 reset\nget(6,:status) = status 2\nbuffer(4,0,99) = status 1"
		timeout = "on call 1 4 3 24 0\nstatus() = 0\nget(6,:status) = 504\nbuffer(4,0,99) = upstream request timeout"
		refused = "on call 1 4 3 98 0\nstatus() = 0\nget(6,:status) = 503\nbuffer(4,0,99) = " +
			"upstream connect error or disconnect/reset before headers. reset reason: remote connection failure"
	)
	script := "configure|" + goodCall + "\ncall|status\ncall|get|6|:status\ncall|buffer|4|0|99"
	tests := []struct {
		name string
		on   func(*Callout)
		at   int64 // ns after the start
		want string
	}{
		{"timeout", func(*Callout) {}, 500e6, timeout},
		{"late", func(c *Callout) { c.Respond(Response{Headers: ok200}, 501e6) }, 500e6, timeout},
		{"refused", func(c *Callout) { c.Refuse(3e6) }, 3e6, refused},
		{"broken off", func(c *Callout) { c.Fail(3e6) }, 3e6, broken},
		{"no headers", func(c *Callout) { c.Respond(Response{}, 3e6) }, 3e6, broken},
		{"at once", func(c *Callout) { c.Fail(0) }, 0, broken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, script, Config{OnCallout: test.on})
			p.Advance(start + 10e9)
			wantSaid(t, p, "http(metrics,:method=POST;:path=/m;:authority=x,body,t=1,500) = 4\n"+test.want)
			if got := p.Logs()[len(p.Logs())-1].At; got != start+test.at {
				t.Errorf("failed after %d ns", got-start)
			}
		})
	}
}

func TestCalloutRefused(t *testing.T) {
	tests := []struct{ name, script, said string }{
		{"unknown cluster", "http|nowhere|:method=GET;:path=/;:authority=x|||1", "status 2"},
		{"no method", "http|metrics|:path=/;:authority=x|||1", "status 2"},
		{"no path", "http|metrics|:method=GET;:authority=x|||1", "status 2"},
		{"no authority", "http|metrics|:method=GET;:path=/|||1", "status 2"},
		{"no headers", "http|metrics||||1", "status 2"},
		{"negative timeout", "http|metrics|:method=GET;:path=/;:authority=x|||-1", "status 2"},
		{"good", "http|metrics|:method=GET;:path=/;:authority=x|||0", "= 4"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, "configure|"+test.script, Config{Clusters: []string{"metrics"}})
			if got := said(p)[0]; got[len(got)-len(test.said):] != test.said {
				t.Errorf("got %q, want %q", got, test.said)
			}
		})
	}
}

// TestCalloutLater answers from outside, once, of the worker that asked.
func TestCalloutLater(t *testing.T) {
	var calls []*Callout
	p := run(t, "tick|"+goodCall+"\nconfigure|tick|1000", Config{Workers: 2, OnCallout: func(c *Callout) { calls = append(calls, c) }})
	p.Advance(start + 1e9)
	if len(calls) != 2 || calls[1].Worker != 1 {
		t.Fatalf("calls %+v", calls)
	}
	calls[1].Respond(Response{Headers: ok200}, 0)
	calls[1].Respond(Response{Headers: ok200}, 0)
	got := p.Logs()[len(p.Logs())-1]
	if got.Message != "on call 1 4 1 0 0" || got.Worker != 1 {
		t.Errorf("got %+v", got)
	}
	if !calls[1].Done() || calls[0].Done() {
		t.Errorf("done %v %v", calls[0].Done(), calls[1].Done())
	}
}

// TestCalloutWithinItsCall: an answer that takes no time waits for the callback that asked.
func TestCalloutWithinItsCall(t *testing.T) {
	p := run(t, "request_headers|"+goodCall+"\nrequest_headers|log|0|still here",
		Config{OnCallout: func(c *Callout) { c.Respond(Response{Headers: ok200}, 0) }})
	p.NewStream(0).RequestHeaders(get("/"), true)
	wantSaid(t, p, `
		on request_headers 2 3 1
		http(metrics,:method=POST;:path=/m;:authority=x,body,t=1,500) = 4
		still here
		log(0,still here) = ok
		on call 1 4 1 0 0`)
}
