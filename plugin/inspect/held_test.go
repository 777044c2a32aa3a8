package inspect

import (
	"strings"
	"testing"

	"warmroute/plugin/decision"
)

// Where the choice depends on the model, a body is read on for it beyond scan_bytes, as far as the proxy can hold the body: to its end, if
// its length is announced and fits.
func TestIsReadOnForItsModel(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		name         string
		more         string // of the configuration
		first, model int    // bytes of the image, and of what follows the model
		announced    bool
		decided      int // where it is decided on, rounded up to marks; 0: at its end
		known        bool
	}{
		{"short", "", 1 * mb, 0, true, 0, true},
		{"fits", "", 5 * mb / 2, 0, true, 0, true},
		{"fits just so", "", 4*mb - 200, 0, true, 0, true},
		{"model in the middle", "", 5 * mb / 2, mb, true, 5*mb/2 + early, true},
		{"too long", "", 4 * mb, 0, true, 3 * mb, false},
		{"length not known", "", 5 * mb / 2, 0, false, 0, true},
		{"too long, length not known", "", 3 * mb, 0, false, 3 * mb, false},
		{"scan_bytes is set", `,"scan_bytes":1048576`, 3 * mb / 2, 0, true, 0, true},
		{"scan_bytes is set, too long", `,"scan_bytes":1048576`, 2 * mb, 0, true, mb, false},
		{"scan_bytes at no mark", `,"scan_bytes":100000`, mb, 0, true, 0, true},
		{"with a buffer filter", `,"steer":{"via":"property"}`, 9 * mb / 2, 0, true, 0, true},
	} {
		turns := `"messages":[{"role":"user","content":[{"type":"text","text":"What is this?"},{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("A", c.first) + `"}}]}]`
		body := `{` + turns + `,"model":"m","metadata":{"a":"` + strings.Repeat("b", c.model) + `"}}`
		for _, chunk := range []int{5000, 64 << 10, 1000_000} {
			for _, depends := range []bool{true, false} {
				in := inspector(t, c.more)
				in.ByModel = depends
				h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
				if c.announced {
					h.Length = len(body)
				}
				r, enough := read(t, in, h, body, chunk)
				at, known := c.decided, c.known
				if hold := in.cfg.HoldBytes(); !depends && len(body) >= hold {
					at, known = hold, false
				}
				if enough != (at > 0) || enough && (r.Seen() < at || r.Seen() >= at+max(chunk, early)) {
					t.Errorf("%s, depends %v, chunks of %d: enough %v after %d bytes of %d, want %d", c.name, depends, chunk, enough, r.Seen(), len(body), at)
				}
				if lacks := r.LacksModel(); lacks != (depends && !known) {
					t.Errorf("%s, depends %v, chunks of %d: it lacks its model: %v", c.name, depends, chunk, lacks)
				}
				if req := r.Request(); req.Prompt == nil || (string(req.Model) == "m") != known || string(req.Prompt.Model) != string(req.Model) {
					t.Errorf("%s, depends %v, chunks of %d: model %q, because of %q", c.name, depends, chunk, req.Model, req.Why)
				}
				in.End(r)
			}
		}
	}
}

// What the choice depends on: the pool, where the headers do not say; the endpoints, where they serve different models; not on what the path
// has said.
func TestLacksModel(t *testing.T) {
	for _, c := range []struct {
		byModel, listed, unlike bool
		pool                    int
		path                    string
		want                    bool
	}{
		{path: "/v1/completions"},
		{byModel: true, path: "/v1/completions", want: true},
		{byModel: true, path: "/own/m/ask"},
		{byModel: true, pool: 1, path: "/v1/completions"},
		{listed: true, pool: 1, path: "/v1/completions"},
		{listed: true, unlike: true, pool: 1, path: "/v1/completions", want: true},
		{byModel: true, path: "/v1/embeddings", want: true},
	} {
		in := inspector(t, `,"paths":[{"path":"/own/{model}/ask","format":"pointer","pointer":"/q"}]`)
		in.ByModel, in.Listed = c.byModel, c.listed
		in.Unlike = func(int) bool { return c.unlike }
		in.Settled = func(*decision.Request) bool { return true }
		h := Head{Method: "POST", Path: c.path, ContentType: "application/json", Pool: c.pool}
		r, _, code := in.Begin(&h)
		if r == nil {
			t.Fatalf("%+v: not read because of %q", c, code)
		}
		r.Write([]byte(`{"prompt":"x`))
		if got := r.LacksModel(); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
		r.Write([]byte(`","model":"n",`))
		if r.LacksModel() {
			t.Errorf("%+v: the model has come", c)
		}
		in.End(r)
	}
}
