package host

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// left describes a message as it left the proxy: whether the headers have, the pieces of the body, and the end.
func left(m *Message) string {
	if !m.Started {
		return "nothing"
	}
	text := "headers"
	for _, piece := range m.Pieces {
		text += " " + string(piece.Data)
	}
	if m.Trailers != nil {
		text += " trailers"
	}
	if m.Ended {
		text += " end"
	}
	return text
}

// feed sends the request in parts: "-" is the headers, "x." a part of the body with end of stream, ":" trailers, "!" a tick. It
// returns what had left after each.
func feed(p *Proxy, s *Stream, parts ...string) []string {
	var log []string
	for _, part := range parts {
		switch {
		case part == "-" || part == "-.":
			s.RequestHeaders(get("/"), part == "-.")
		case part == ":":
			s.RequestTrailers(Headers{{"t", "1"}})
		case part == "!":
			p.Advance(p.Now() + 1_000_000_000)
		default:
			body, end := strings.CutSuffix(part, ".")
			s.RequestBody([]byte(body), end)
		}
		log = append(log, left(s.Upstream()))
	}
	return log
}

// TestFlow has a table of what Envoy does with each answer of the callbacks.
func TestFlow(t *testing.T) {
	const resumeOnTick = "configure|tick|1000\ntick|effective|2\ntick|continue|0\n"
	tests := []struct {
		name   string
		script string
		flag   bool // allow_on_headers_stop_iteration
		parts  []string
		want   []string // what had left after each part
		said   string
	}{{
		name:  "continue",
		parts: []string{"-", "a", "b."},
		want:  []string{"headers", "headers a", "headers a b end"},
		said:  "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 1 1",
	}, {
		name:  "headers only",
		parts: []string{"-."},
		want:  []string{"headers end"},
		said:  "on request_headers 2 3 1",
	}, {
		name:   "pause in headers without the flag hangs",
		script: "request_headers|return|1",
		parts:  []string{"-", "a", "b."},
		want:   []string{"nothing", "nothing", "nothing"},
		said:   "on request_headers 2 3 0",
	}, {
		name:   "pause in headers without the flag, resumed: the held body comes at once",
		script: "request_headers|return|1\n" + resumeOnTick,
		parts:  []string{"-", "a", "b", "!", "c."},
		want:   []string{"nothing", "nothing", "nothing", "headers ab", "headers ab c end"},
		said: "tick(1000) = ok\non request_headers 2 3 0\non tick 1\neffective(2) = ok\ncontinue(0) = ok\n" +
			"on request_body 2 2 0\non request_body 2 1 1",
	}, {
		name:   "pause in headers without the flag, resumed after the trailers",
		script: "request_headers|return|1\n" + resumeOnTick,
		parts:  []string{"-", "a", ":", "!"},
		want:   []string{"nothing", "nothing", "nothing", "headers a trailers end"},
		said: "tick(1000) = ok\non request_headers 2 3 0\non tick 1\neffective(2) = ok\ncontinue(0) = ok\n" +
			"on request_body 2 1 0\non request_trailers 2 1",
	}, {
		name:   "pause in headers without body, resumed",
		script: "request_headers|return|1\n" + resumeOnTick,
		parts:  []string{"-.", "!"},
		want:   []string{"nothing", "headers end"},
		said:   "tick(1000) = ok\non request_headers 2 3 1\non tick 1\neffective(2) = ok\ncontinue(0) = ok",
	}, {
		name:   "with the flag the body comes while headers are held, and lets both go",
		script: "request_headers|return|1",
		flag:   true,
		parts:  []string{"-", "a", "b."},
		want:   []string{"nothing", "headers a", "headers a b end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 1 1",
	}, {
		name:   "with the flag, a paused body is buffered whole, then later parts come alone",
		script: "request_headers|return|1\nrequest_body|return|1\nrequest_body|if-size|3\nrequest_body|return|0",
		flag:   true,
		parts:  []string{"-", "a", "b", "c", "d", "e."},
		want:   []string{"nothing", "nothing", "nothing", "headers abc", "headers abc", "headers abc"},
		said: "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 2 0\non request_body 2 3 0\n" +
			"on request_body 2 1 0\non request_body 2 2 1",
	}, {
		name:   "without the flag, a paused body alone: the headers have left",
		script: "request_body|return|1\nrequest_body|if-end\nrequest_body|return|0",
		parts:  []string{"-", "a", "b", "c."},
		want:   []string{"headers", "headers", "headers", "headers abc end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 2 0\non request_body 2 3 1",
	}, {
		name:   "an empty last part counts",
		script: "request_headers|return|1\nrequest_body|return|1\nrequest_body|if-end\nrequest_body|return|0",
		flag:   true,
		parts:  []string{"-", "a", "."},
		want:   []string{"nothing", "nothing", "headers a end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 1 1",
	}, {
		name:   "trailers: the body never sees the end, and what is held goes with them",
		script: "request_headers|return|1\nrequest_body|return|1\nrequest_body|if-end\nrequest_body|return|0",
		flag:   true,
		parts:  []string{"-", "a", "b", ":"},
		want:   []string{"nothing", "nothing", "nothing", "headers ab trailers end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 2 0\non request_trailers 2 1",
	}, {
		name:   "paused trailers, resumed",
		script: "request_trailers|return|1\n" + resumeOnTick,
		parts:  []string{"-", "a", ":", "!"},
		want:   []string{"headers", "headers a", "headers a", "headers a trailers end"},
		said: "tick(1000) = ok\non request_headers 2 3 0\non request_body 2 1 0\non request_trailers 2 1\non tick 1\n" +
			"effective(2) = ok\ncontinue(0) = ok",
	}, {
		name:   "a buffered body resumed from a tick leaves without another callback",
		script: "request_headers|return|1\nrequest_body|return|1\n" + resumeOnTick,
		flag:   true,
		parts:  []string{"-", "a", "b", "!", "c."},
		want:   []string{"nothing", "nothing", "nothing", "headers ab", "headers ab"},
		said: "tick(1000) = ok\non request_headers 2 3 0\non request_body 2 1 0\non request_body 2 2 0\non tick 1\n" +
			"effective(2) = ok\ncontinue(0) = ok\non request_body 2 1 1",
	}, {
		name:   "stop and watermark: the parts come one by one",
		script: "request_headers|return|1\nrequest_body|return|2\nrequest_body|if-end\nrequest_body|return|0",
		flag:   true,
		parts:  []string{"-", "a", "b", "c."},
		want:   []string{"nothing", "nothing", "nothing", "headers abc end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 1 0\non request_body 2 1 1",
	}, {
		name:   "stop without buffer loses the part",
		script: "request_headers|return|1\nrequest_body|return|3\nrequest_body|if-end\nrequest_body|return|0",
		flag:   true,
		parts:  []string{"-", "a", "b."},
		want:   []string{"nothing", "nothing", "headers b end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 0\non request_body 2 1 1",
	}, {
		name:   "continue inside the body callback of the last part loses that part",
		script: "request_headers|return|1\nrequest_body|continue|0",
		flag:   true,
		parts:  []string{"-", "a."},
		want:   []string{"nothing", "headers end"},
		said:   "on request_headers 2 3 0\non request_body 2 1 1\ncontinue(0) = ok",
	}, {
		name:   "continue inside the headers callback sends the headers, and pause holds the rest",
		script: "request_headers|continue|0\nrequest_headers|return|1",
		parts:  []string{"-", "a"},
		want:   []string{"headers", "headers"},
		said:   "on request_headers 2 3 0\ncontinue(0) = ok",
	}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, test.script, Config{AllowOnHeadersStopIteration: test.flag, NoRetries: true})
			s := p.NewStream(0)
			if diff := cmp.Diff(test.want, feed(p, s, test.parts...)); diff != "" {
				t.Errorf("left after each part (-want +got):\n%s", diff)
			}
			wantSaid(t, p, test.said)
		})
	}
}

// TestRetriesRepeatParts has what an Envoy 1.40 with the same guest sent upstream, with and without a retry policy.
func TestRetriesRepeatParts(t *testing.T) {
	const (
		held         = "request_headers|return|1\n"
		resumeOnTick = "configure|tick|1000\ntick|effective|2\ntick|continue|0\n"
		untilTwo     = "request_body|return|1\nrequest_body|if-size|2\nrequest_body|return|0\n"
	)
	for _, test := range []struct {
		name, script string
		parts        []string
		retries      string // what was sent in all
		sizes        string // what the body callback saw
		none         string // the same without retries
		noneSizes    string
	}{{
		name:   "resumed from a tick, the held part comes again with the next one",
		script: held + untilTwo + resumeOnTick, parts: []string{"-", "a", "!", "bb"},
		retries: "a abb", sizes: "1 3", none: "a bb", noneSizes: "1 2",
	}, {
		name:   "and what left by itself comes again after the next pause",
		script: held + untilTwo + resumeOnTick, parts: []string{"-", "a", "!", "bb", "c", "d"},
		retries: "a abb abbcd", sizes: "1 3 1 5", none: "a bb cd", noneSizes: "1 2 1 2",
	}, {
		name:   "resumed each time",
		script: held + "request_body|return|1\n" + resumeOnTick, parts: []string{"-", "a", "!", "bb", "!", "c", "!"},
		retries: "a abb abbc", sizes: "1 3 4", none: "a bb c", noneSizes: "1 2 1",
	}, {
		name:   "stop and watermark",
		script: held + "request_body|return|2\n" + resumeOnTick, parts: []string{"-", "a", "!", "bb", "!", "c", "!"},
		retries: "a abb abbc", sizes: "1 2 1", none: "a bb c", noneSizes: "1 2 1",
	}, {
		name:   "paused after a part has left",
		script: untilTwo + resumeOnTick, parts: []string{"-", "aa", "b", "!", "cc"},
		retries: "aa aab aabcc", sizes: "2 1 5", none: "aa b cc", noneSizes: "2 1 2",
	}, {
		name:   "paused trailers",
		script: "request_trailers|return|1\n" + resumeOnTick, parts: []string{"-", "a", ":", "!"},
		retries: "a a", sizes: "1", none: "a", noneSizes: "1",
	}, {
		name:   "let go by the callback, once",
		script: held + "request_body|return|1\nrequest_body|if-size|3\nrequest_body|return|0", parts: []string{"-", "a", "bb", "ccc", "ddd."},
		retries: "abb ccc ddd", sizes: "1 3 3 3", none: "abb ccc ddd", noneSizes: "1 3 3 3",
	}} {
		for _, noRetries := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/retries=%v", test.name, !noRetries), func(t *testing.T) {
				p := run(t, test.script, Config{AllowOnHeadersStopIteration: true, NoRetries: noRetries})
				s := p.NewStream(0)
				feed(p, s, test.parts...)
				want, wantSizes := test.retries, test.sizes
				if noRetries {
					want, wantSizes = test.none, test.noneSizes
				}
				var sent, sizes []string
				for _, piece := range s.Upstream().Pieces {
					sent = append(sent, string(piece.Data))
				}
				for _, line := range said(p) {
					if rest, ok := strings.CutPrefix(line, "on request_body 2 "); ok {
						size, _, _ := strings.Cut(rest, " ")
						sizes = append(sizes, size)
					}
				}
				if got := strings.Join(sent, " "); got != want {
					t.Errorf("sent upstream %q, want %q", got, want)
				}
				if got := strings.Join(sizes, " "); got != wantSizes {
					t.Errorf("the callback saw %s, want %s", got, wantSizes)
				}
			})
		}
	}
}

// The router keeps no request that is larger than the limit, so what leaves after that comes once. Measured as well.
func TestTooLargeToRetry(t *testing.T) {
	p := run(t, "request_body|return|0\nrequest_body|if-size|4\nrequest_body|return|2\nconfigure|tick|1000\ntick|effective|2\ntick|continue|0",
		Config{BodyLimit: 3})
	s := p.NewStream(0)
	feed(p, s, "-", "aaa", "bbb", "cccc", "!", "d", "eeee", "!", "f.")
	// The first part was kept before the limit came, and leaves once more; then the buffer is empty.
	if got := string(s.Upstream().Body()); got != "aaabbbaaaccccdeeeef" {
		t.Errorf("sent upstream %q", got)
	}
}

func TestResponseFlow(t *testing.T) {
	p := run(t, "response_headers|return|1\nresponse_body|return|1\nresponse_body|if-end\nresponse_body|return|0",
		Config{AllowOnHeadersStopIteration: true})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	s.ResponseHeaders(ok200, false)
	s.ResponseBody([]byte("x"), false)
	if got := left(s.Downstream()); got != "nothing" || !s.ResponsePaused() {
		t.Errorf("left %q while paused", got)
	}
	s.ResponseBody([]byte("y"), true)
	if got := left(s.Downstream()); got != "headers xy end" || !s.Closed() {
		t.Errorf("left %q, closed %v", got, s.Closed())
	}
}

func TestBodyLimit(t *testing.T) {
	const limit = 100
	big := bytes.Repeat([]byte("x"), 60)
	buffering := "request_body|return|1\nresponse_body|return|1"

	t.Run("buffered request", func(t *testing.T) {
		p := run(t, buffering, Config{BodyLimit: limit})
		s := p.NewStream(0)
		s.RequestHeaders(get("/"), false)
		s.RequestBody(big, false)
		if s.Closed() {
			t.Fatal("closed below the limit")
		}
		s.RequestBody(big, false)
		status, _ := s.Downstream().Headers.Get(":status")
		if status != "413" || !s.Local() || s.Details() != "request_payload_too_large" {
			t.Errorf("status %s, local %v, details %q", status, s.Local(), s.Details())
		}
		// its own local reply is paused by the response's body callback
		wantSaid(t, p, `
			on request_headers 2 3 0
			on request_body 2 60 0
			on request_body 2 120 0
			on response_headers 2 3 0
			on response_body 2 17 1`)
	})
	t.Run("exactly the limit", func(t *testing.T) {
		p := run(t, buffering, Config{BodyLimit: 2 * len(big)})
		s := p.NewStream(0)
		feed(p, s, "-", string(big), string(big))
		if s.Closed() || s.Local() {
			t.Error("refused at the limit")
		}
	})
	t.Run("buffered response", func(t *testing.T) {
		p := run(t, buffering, Config{BodyLimit: limit})
		s := p.NewStream(0)
		s.RequestHeaders(get("/"), true)
		s.ResponseHeaders(ok200, false)
		s.ResponseBody(big, false)
		s.ResponseBody(big, false)
		if !s.Closed() || !s.Reset() { // the headers had left
			t.Errorf("closed %v, reset %v", s.Closed(), s.Reset())
		}
	})
	t.Run("continued after a part", func(t *testing.T) {
		p := run(t, "request_headers|return|1\nrequest_body|return|1\nrequest_body|if-size|100\nrequest_body|return|0",
			Config{BodyLimit: 180, AllowOnHeadersStopIteration: true})
		s := p.NewStream(0)
		s.RequestHeaders(get("/"), false)
		s.RequestBody(big, false)
		for range 20 {
			s.RequestBody(bytes.Repeat([]byte("y"), 120), false)
		}
		if s.Closed() && s.Local() {
			t.Errorf("refused: %q", s.Details())
		}
	})
	t.Run("held by the headers callback: no limit, but the client is not read", func(t *testing.T) {
		p := run(t, "request_headers|return|1", Config{BodyLimit: limit})
		s := p.NewStream(0)
		feed(p, s, "-", string(big))
		if s.Backpressured() {
			t.Error("backpressure below the limit")
		}
		feed(p, s, string(big))
		if s.Closed() || !s.Backpressured() {
			t.Errorf("closed %v, backpressured %v", s.Closed(), s.Backpressured())
		}
	})
}

// TestHeadersLeave checks when changes of headers reach the upstream.
func TestHeadersLeave(t *testing.T) {
	p := run(t, `
		request_headers|replace|0|x-when|headers
		request_headers|return|1
		request_body|replace|0|x-when|body
		request_body|add|0|x-new|1
		request_body|if-end
		request_body|replace|0|x-when|late
		request_body|get|0|x-when`, Config{AllowOnHeadersStopIteration: true})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), false)
	p.Advance(start + 5)
	s.RequestBody([]byte("a"), false)
	p.Advance(start + 9)
	s.RequestBody([]byte("b"), true)
	up := s.Upstream()
	want := append(get("/"), Header{"x-when", "body"}, Header{"x-new", "1"})
	if diff := cmp.Diff(want, up.Headers); diff != "" {
		t.Errorf("headers upstream (-want +got):\n%s", diff)
	}
	if up.At != start+5 || up.Pieces[1].At != start+9 || up.EndedAt != start+9 {
		t.Errorf("left at %d, second piece at %d, end at %d", up.At, up.Pieces[1].At, up.EndedAt)
	}
	if got := said(p); got[len(got)-1] != "get(0,x-when) = late" {
		t.Errorf("the module sees %q of its own late change", got[len(got)-1])
	}
}

// TestHeadersOutOfReach: Envoy takes the map away when the headers callback returns Continue, and on continue_stream.
func TestHeadersOutOfReach(t *testing.T) {
	p := run(t, `
		request_body|get|0|:path
		request_body|pairs|0
		request_body|size|0
		request_body|replace|0|x|y
		request_body|remove|0|:path
		request_body|setpairs|0|a=b
		response_headers|get|0|:path
		log|get|0|:path
		log|get|2|:status
		log|get|3|x
		log|replace|0|x|y`, Config{})
	s := p.NewStream(0)
	feed(p, s, "-", "a.")
	s.ResponseHeaders(ok200, true)
	wantSaid(t, p, `
		on request_headers 2 3 0
		on request_body 2 1 1
		get(0,:path) = status 2
		pairs(0) =
		size(0) = status 2
		replace(0,x,y) = status 2
		remove(0,:path) = status 2
		setpairs(0,a=b) = status 2
		on response_headers 2 1 1
		get(0,:path) = status 2
		on log 2
		get(0,:path) = /
		get(2,:status) = 200
		get(3,x) = status 1
		replace(0,x,y) = status 2
		on done 2
		on delete 2`)
}

func TestContinueClosesHeaders(t *testing.T) {
	p := run(t, "request_headers|replace|0|x|1\nrequest_headers|continue|0\nrequest_headers|replace|0|x|2", Config{})
	s := p.NewStream(0)
	feed(p, s, "-.")
	wantSaid(t, p, `
		on request_headers 2 3 1
		replace(0,x,1) = ok
		continue(0) = ok
		replace(0,x,2) = status 2`)
	if x, _ := s.Upstream().Headers.Get("x"); x != "1" {
		t.Errorf("x is %q upstream", x)
	}
}
