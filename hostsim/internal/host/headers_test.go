package host

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHeaderMap(t *testing.T) {
	tests := []struct {
		name, script, said string
		want               Headers // upstream
	}{
		{
			"get", "get|0|X-A\nget|0|:method\nget|0|nothing\nget|0|empty\nget|8|x\nsize|0\nsize|9",
			"get(0,X-A) = 1\nget(0,:method) = GET\nget(0,nothing) = status 1\nget(0,empty) =\nget(8,x) = status 2\nsize(0) = 29\nsize(9) = status 2",
			Headers{{":method", "GET"}, {":path", "/"}, {"x-a", "1"}, {"x-a", "2"}, {"empty", ""}},
		}, {
			"pairs", "pairs|0\npairs|1\npairs|4\npairs|8",
			"pairs(0) = :method=GET;:path=/;x-a=1;x-a=2;empty=\npairs(1) =\npairs(4) =\npairs(8) = status 2",
			Headers{{":method", "GET"}, {":path", "/"}, {"x-a", "1"}, {"x-a", "2"}, {"empty", ""}},
		}, {
			"add", "add|0|X-B|b\nadd|0|x-a|3\nadd|2|x|y\nadd|0|:path|/b",
			"add(0,X-B,b) = ok\nadd(0,x-a,3) = ok\nadd(2,x,y) = status 2\nadd(0,:path,/b) = ok",
			Headers{{":method", "GET"}, {":path", "/,/b"}, {"x-a", "1"}, {"x-a", "2"}, {"empty", ""}, {"x-b", "b"}, {"x-a", "3"}},
		}, {
			"replace", "replace|0|X-A|3\nreplace|0|:path|/new\nreplace|0|x-c|\nreplace|9|x|y",
			"replace(0,X-A,3) = ok\nreplace(0,:path,/new) = ok\nreplace(0,x-c,) = ok\nreplace(9,x,y) = status 2",
			Headers{{":method", "GET"}, {":path", "/new"}, {"empty", ""}, {"x-a", "3"}, {"x-c", ""}},
		}, {
			"remove", "remove|0|X-A\nremove|0|nothing\nremove|1|x",
			"remove(0,X-A) = ok\nremove(0,nothing) = ok\nremove(1,x) = status 2",
			Headers{{":method", "GET"}, {":path", "/"}, {"empty", ""}},
		}, {
			"set pairs", "setpairs|0|:method=PUT;:Path=/p\nsetpairs|2|x=y\nsetpairs|9|x=y",
			"setpairs(0,:method=PUT;:Path=/p) = ok\nsetpairs(2,x=y) = status 2\nsetpairs(9,x=y) = status 2",
			Headers{{":method", "PUT"}, {":path", "/p"}},
		}, {
			"malformed pairs empty the map", "setpairs-raw|0|abcdefgh",
			"setpairs-raw(0,abcdefgh) = ok", nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := run(t, script("request_headers", test.script), Config{})
			s := p.NewStream(0)
			s.RequestHeaders(Headers{{":method", "GET"}, {":path", "/"}, {"X-A", "1"}, {"x-a", "2"}, {"empty", ""}}, true)
			wantSaid(t, p, "on request_headers 2 5 1\n"+test.said)
			if diff := cmp.Diff(test.want, s.Upstream().Headers); diff != "" {
				t.Errorf("headers upstream (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTrailersAndResponseHeaders(t *testing.T) {
	p := run(t, `
		request_trailers|add|1|t2|b
		response_headers|replace|2|:status|201
		response_headers|get|0|:path
		response_trailers|pairs|3
		response_trailers|remove|3|u`, Config{})
	s := p.NewStream(0)
	feed(p, s, "-", "a", ":")
	s.ResponseHeaders(ok200, false)
	s.ResponseTrailers(Headers{{"U", "2"}, {"v", "3"}})
	if diff := cmp.Diff(Headers{{"t", "1"}, {"t2", "b"}}, s.Upstream().Trailers); diff != "" {
		t.Errorf("request trailers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Headers{{":status", "201"}}, s.Downstream().Headers); diff != "" {
		t.Errorf("response headers (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(Headers{{"v", "3"}}, s.Downstream().Trailers); diff != "" {
		t.Errorf("response trailers (-want +got):\n%s", diff)
	}
}
