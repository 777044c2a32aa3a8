package host

import "testing"

func TestBuffers(t *testing.T) {
	tests := []struct{ name, script, said, upstream string }{
		{
			"read", "buffer|0|0|-1\nbuffer|0|1|2\nbuffer|0|3|99\nbuffer|0|5|1\nbuffer|0|99|1\nbuffer|0|0|0\nbuffersize|0",
			"buffer(0,0,-1) = hello\nbuffer(0,1,2) = el\nbuffer(0,3,99) = lo\nbuffer(0,5,1) =\nbuffer(0,99,1) =\nbuffer(0,0,0) =\nbuffersize(0) = 5",
			"hello",
		}, {
			"others", "buffer|1|0|9\nbuffer|2|0|9\nbuffer|4|0|9\nbuffer|6|0|9\nbuffer|7|0|9\nbuffer|8|0|9\nbuffer|9|0|9\nbuffersize|7\nbuffersize|9\nbuffersize|6",
			"buffer(1,0,9) =\nbuffer(2,0,9) =\nbuffer(4,0,9) = status 1\nbuffer(6,0,9) = vm\nbuffer(7,0,9) = status 1\nbuffer(8,0,9) =\n" +
				"buffer(9,0,9) = status 2\nbuffersize(7) = status 1\nbuffersize(9) = status 2\nbuffersize(6) = 2",
			"hello",
		},
		{"prepend", "setbuffer|0|0|0|>>", "setbuffer(0,0,0,>>) = ok", ">>hello"},
		{"append", "setbuffer|0|-1|0|<<", "setbuffer(0,-1,0,<<) = ok", "hello<<"},
		{"replace", "setbuffer|0|0|5|bye\nbuffer|0|0|9", "setbuffer(0,0,5,bye) = ok\nbuffer(0,0,9) = bye", "bye"},
		{"empty", "setbuffer|0|0|5|", "setbuffer(0,0,5,) = ok", ""},
		{"inside", "setbuffer|0|1|1|x\nsetbuffer|0|0|2|x", "setbuffer(0,1,1,x) = status 2\nsetbuffer(0,0,2,x) = status 2", "hello"},
		{
			"not a body", "setbuffer|1|0|0|x\nsetbuffer|6|0|0|x\nsetbuffer|7|0|0|x\nsetbuffer|9|0|0|x",
			"setbuffer(1,0,0,x) = status 2\nsetbuffer(6,0,0,x) = status 2\nsetbuffer(7,0,0,x) = status 1\nsetbuffer(9,0,0,x) = status 2", "hello",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, script("request_body", test.script), Config{VMConfig: []byte("vm")})
			s := p.NewStream(0)
			s.RequestHeaders(get("/"), false)
			s.RequestBody([]byte("hello"), true)
			wantSaid(t, p, "on request_headers 2 3 0\non request_body 2 5 1\n"+test.said)
			if got := string(s.Upstream().Body()); got != test.upstream {
				t.Errorf("upstream got %q, want %q", got, test.upstream)
			}
		})
	}
}

// TestBufferedBodyCanBeChanged: what is changed is what was buffered, and earlier pieces the caller gave stay as they were.
func TestBufferedBodyCanBeChanged(t *testing.T) {
	p := run(t, "request_body|return|1\nrequest_body|if-end\nrequest_body|buffer|0|0|99\nrequest_body|setbuffer|0|-1|0|!\nrequest_body|return|0", Config{})
	s := p.NewStream(0)
	first := make([]byte, 5, 50)
	copy(first, "hello")
	s.RequestHeaders(get("/"), false)
	s.RequestBody(first, false)
	s.RequestBody([]byte(" you"), true)
	if got := string(s.Upstream().Body()); got != "hello you!" {
		t.Errorf("upstream got %q", got)
	}
	if got := string(first[:9]); got != "hello\x00\x00\x00\x00" {
		t.Errorf("the caller's memory became %q", got)
	}
}

func TestBodyOutsideOfItsCallback(t *testing.T) {
	p := run(t, "configure|tick|1000\nrequest_body|return|1\ntick|effective|2\ntick|buffer|0|0|9\ntick|buffersize|0\nresponse_headers|buffer|0|0|9",
		Config{})
	s := p.NewStream(0)
	feed(p, s, "-", "held", "!")
	if got := said(p); got[5] != "buffer(0,0,9) = held" {
		t.Errorf("a buffered body from a tick: %q", got)
	}
}
