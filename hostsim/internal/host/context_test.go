package host

import "testing"

func TestEffectiveContext(t *testing.T) {
	p := run(t, `
		configure|tick|1000
		request_headers|return|1
		tick|effective|77
		tick|setproperty|p|lost
		tick|effective|2
		tick|setproperty|p|two
		tick|replace|0|x|changed
		tick|effective|1
		tick|setproperty|p|lost
		tick|effective|3
		tick|continue|0
		tick|get|0|:path`, Config{})
	first, second := p.NewStream(0), p.NewStream(0)
	first.RequestHeaders(get("/1"), true)
	second.RequestHeaders(get("/2"), true)
	p.Advance(start + 1e9)
	wantSaid(t, p, `
		tick(1000) = ok
		on request_headers 2 3 1
		on request_headers 3 3 1
		on tick 1
		effective(77) = status 2
		setproperty(p,lost) = status 1
		effective(2) = ok
		setproperty(p,two) = ok
		replace(0,x,changed) = ok
		effective(1) = ok
		setproperty(p,lost) = status 1
		effective(3) = ok
		continue(0) = ok
		get(0,:path) = status 2`)
	if !first.RequestPaused() || second.RequestPaused() {
		t.Errorf("paused: %v, %v", first.RequestPaused(), second.RequestPaused())
	}
	if got := left(second.Upstream()); got != "headers end" {
		t.Errorf("second stream: %s", got)
	}
	if got, _ := first.FilterState("wasm.p"); got != "two" {
		t.Errorf("property %q", got)
	}
}

// TestEffectiveContextEndsWithTheCallback: the next callback acts on its own context again.
func TestEffectiveContextEndsWithTheCallback(t *testing.T) {
	p := run(t, "configure|tick|1000\nrequest_headers|return|1\ntick|setproperty|p|x\ntick|effective|2", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	p.Advance(start + 2e9)
	if _, found := s.FilterState("wasm.p"); found {
		t.Error("the second tick acted on the stream")
	}
}

func TestStreamOperations(t *testing.T) {
	p := run(t, script("request_headers", `continue|2
continue|3
continue|4
continue|1
close|2
proxydone
foreign|compress
grpc
status`), Config{})
	p.NewStream(0).RequestHeaders(get("/"), true)
	wantSaid(t, p, `
		on request_headers 2 3 1
		continue(2) = ok
		continue(3) = status 12
		continue(4) = status 2
		continue(1) = ok
		close(2) = ok
		proxydone() = status 1
		foreign(compress) = status 1
		grpc() = 10 10 1 1 1
		status() = 0`)
}

func TestResponseResumed(t *testing.T) {
	p := run(t, "configure|tick|1000\nresponse_headers|return|1\ntick|effective|2\ntick|continue|1", Config{})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	answer(s)
	if got := left(s.Downstream()); got != "nothing" {
		t.Errorf("left %q while paused", got)
	}
	p.Advance(start + 1e9)
	if got := left(s.Downstream()); got != "headers fine end" || !s.Closed() {
		t.Errorf("left %q, closed %v", got, s.Closed())
	}
}

func TestClose(t *testing.T) {
	t.Run("cancels streams, then ends the plugin", func(t *testing.T) {
		p := run(t, "request_headers|return|1", Config{})
		p.NewStream(0).RequestHeaders(get("/"), true)
		p.NewStream(0).RequestHeaders(get("/"), true)
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		wantSaid(t, p, `
			on request_headers 2 3 1
			on request_headers 3 3 1
			on log 2
			on done 2
			on delete 2
			on log 3
			on done 3
			on delete 3
			on done 1
			on delete 1`)
	})
	t.Run("does not wait for proxy_done", func(t *testing.T) {
		p := run(t, "done|proxydone\ndone|return|0", Config{})
		if err := p.Close(); err != nil {
			t.Fatal(err)
		}
		wantSaid(t, p, "on done 1\nproxydone() = status 1\non delete 1")
	})
}
