package inspect

import (
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/decision"
	"warmroute/plugin/why"
)

func inspector(t *testing.T, more string) *Inspector {
	t.Helper()
	cfg, err := config.Parse([]byte(`{"endpoints":["10.0.0.1:80"]` + more + `}`))
	if err != nil {
		t.Fatal(err)
	}
	in, err := New(&cfg)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func TestBegin(t *testing.T) {
	in := inspector(t, `,"paths":[{"path":"/own/{model}/ask","format":"pointer","pointer":"/q"}]`)
	post := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	for _, c := range []struct {
		name    string
		change  func(*Head)
		verdict Verdict
		why     why.Code
	}{
		{"chat", func(*Head) {}, Read, ""},
		{"charset", func(h *Head) { h.ContentType = "Application/JSON; charset=utf-8" }, Read, ""},
		{"relative of JSON", func(h *Head) { h.ContentType = "application/vnd.api+json" }, Read, ""},
		{"query", func(h *Head) { h.Path += "?api-version=1" }, Read, ""},
		{"configured path", func(h *Head) { h.Path = "/own/m/ask" }, Read, ""},
		{"identity", func(h *Head) { h.ContentEncoding = "identity" }, Read, ""},
		{"GET", func(h *Head) { h.Method = "GET" }, Pass, "not_post"},
		{"other path", func(h *Head) { h.Path = "/v1/files" }, Pass, "not_llm"},
		{"embeddings", func(h *Head) { h.Path = "/v1/embeddings" }, ByLoad, "no_prompt"},
		{"no body", func(h *Head) { h.NoBody = true }, ByLoad, "no_body"},
		{"form", func(h *Head) { h.ContentType = "application/x-www-form-urlencoded" }, ByLoad, "not_json"},
		{"no type", func(h *Head) { h.ContentType = "" }, ByLoad, "not_json"},
		{"expects 100 Continue", func(h *Head) { in.Take(h, "expect", "100-Continue") }, ByLoad, "expect_continue"},
		{"expects something else", func(h *Head) { in.Take(h, "expect", "x") }, Read, ""},
		{"expects nothing", func(h *Head) { in.Take(h, "expect", "") }, Read, ""},
		{"a letter in percent-encoding", func(h *Head) { h.Path = "/v1/chat/completion%73" }, Read, ""},
		{"chats in a batch", func(h *Head) { h.Path = "/v1/chat/completions/batch" }, ByLoad, "no_prompt"},
		{"gzip", func(h *Head) { h.ContentEncoding = "gzip" }, ByLoad, "encoded"},
	} {
		h := post
		c.change(&h)
		r, verdict, code := in.Begin(&h)
		if verdict != c.verdict || code != c.why || (r != nil) != (c.verdict == Read) {
			t.Errorf("%s: got verdict %v because of %q, want %v because of %q", c.name, verdict, code, c.verdict, c.why)
		}
		if r != nil {
			in.End(r)
		}
	}
}

func read(t *testing.T, in *Inspector, h Head, body string, chunk int) (r *Reading, enough bool) {
	t.Helper()
	r, verdict, code := in.Begin(&h)
	if verdict != Read {
		t.Fatalf("got verdict %v because of %q", verdict, code)
	}
	for len(body) > 0 && !enough {
		n := min(chunk, len(body))
		enough = r.Write([]byte(body[:n]))
		body = body[n:]
	}
	return r, enough
}

func TestReading(t *testing.T) {
	in := inspector(t, `,"paths":[{"path":"/own/{model}/ask","format":"pointer","pointer":"/q"}]`)
	h := Head{Method: "POST", Path: "/own/pear/ask", ContentType: "application/json", Tenant: "t", Session: "s"}
	r, _ := read(t, in, h, `{"q":"What is it?"}`, 3)
	req := r.Request()
	if req.Prompt == nil {
		t.Fatalf("no prompt, because of %q", req.Why)
	}
	if got := string(req.Prompt.Model); got != "pear" {
		t.Errorf("model: got %q, want the path's pear", got)
	}
	if string(req.Session) != "s" {
		t.Errorf("session: got %q, want the header's", req.Session)
	}
	if string(req.Tenant) != "t" {
		t.Errorf("tenant: got %q, want t", req.Tenant)
	}
	in.End(r)

	r, _ = read(t, in, h, `{"q":`, 2)
	if req := r.Request(); req.Prompt != nil || req.Why != "broken_json" {
		t.Errorf("half a body: got prompt %v because of %q, want none because of broken_json", req.Prompt, req.Why)
	}
	in.End(r)
}

// However long the body, no more than scan_bytes of it are held.
func TestHoldsNoMoreThanScanBytes(t *testing.T) {
	in := inspector(t, `,"scan_bytes":4096`)
	h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	image := `{"model":"m","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/png;base64,` + strings.Repeat("A", 1<<20)
	r, enough := read(t, in, h, image, 1000)
	if !enough || r.Seen() > 4096+1000 {
		t.Errorf("after %d bytes: enough is %v, want true at 4096", r.Seen(), enough)
	}
	if req := r.Request(); req.Prompt == nil {
		t.Errorf("an image cut off: no prompt because of %q", req.Why)
	}
	in.End(r)
}

// A decision is the same whether what follows it has come in the same chunk or not, also where that names another model, session or salt.
func TestWhatFollowsChangesNoDecision(t *testing.T) {
	in := inspector(t, "")
	in.Settled = func(*decision.Request) bool { return true }
	h := Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json"}
	body := `{"model":"m","user":"u","prompt":"` + strings.Repeat("word ", 20_000) + `","model":"n","user":"v","cache_salt":null,"model":null}`
	for _, chunk := range []int{1000, 64 << 10, len(body)} {
		r, enough := read(t, in, h, body, chunk)
		req := r.Request()
		if !enough || string(req.Model) != "m" || string(req.Prompt.Model) != "m" || string(req.Prompt.Session) != "u" {
			t.Errorf("in chunks of %d: enough %v, model %q and %q, session %q; want m and u", chunk, enough, req.Model, req.Prompt.Model, req.Prompt.Session)
		}
		in.End(r)
	}
}

func TestMaxInspecting(t *testing.T) {
	in := inspector(t, `,"max_inspecting":2`)
	h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	first, _, _ := in.Begin(&h)
	in.Begin(&h)
	if _, verdict, code := in.Begin(&h); verdict != ByLoad || code != why.Busy {
		t.Errorf("the third of two: got verdict %v because of %q, want by load because of busy", verdict, code)
	}
	in.End(first)
	if _, verdict, _ := in.Begin(&h); verdict != Read {
		t.Errorf("after one ended: got verdict %v, want read", verdict)
	}
}

// What is held of all bodies together has a bound; it counts until a body is decided, left or ended.
func TestHeldBytes(t *testing.T) {
	in := inspector(t, `,"max_held_bytes":1048576`)
	h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	part := []byte(`{"messages":[{"role":"user","content":"` + strings.Repeat("word ", 12_000))
	var held []*Reading
	for !in.Crowded() {
		r, _, _ := in.Begin(&h)
		r.Write(part)
		held = append(held, r)
	}
	if n := len(held) * len(part); n < 1<<20 || n > 1<<20+len(part) {
		t.Errorf("crowded at %d bytes, want at 1 MiB", n)
	}
	if !in.ReadOn(held[0]) || in.Crowded() {
		t.Error("a decided body counts as held")
	}
	for _, r := range held {
		in.End(r)
	}
	if in.held != 0 || in.open != 0 || in.after != 0 {
		t.Errorf("at rest %d bytes, %d held, %d read on", in.held, in.open, in.after)
	}
}

func TestNoAllocationAfterWarmUp(t *testing.T) {
	in := inspector(t, "")
	h := Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json", Tenant: "t"}
	body := []byte(`{"model":"m","prompt":"` + strings.Repeat("word ", 1000) + `"}`)
	if n := testing.AllocsPerRun(100, func() {
		r, _, _ := in.Begin(&h)
		r.Write(body)
		r.Request()
		in.End(r)
	}); n != 0 {
		t.Errorf("got %v allocations per request, want 0", n)
	}
}
