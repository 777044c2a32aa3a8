package inspect

import (
	"bytes"
	"strings"
	"testing"
	"unsafe"
)

// What a Head keeps does not change with the memory that the proxy had lent.
func TestKeep(t *testing.T) {
	lent := []byte("POST")
	view := func() string { return unsafe.String(&lent[0], len(lent)) }
	h := Head{Method: view(), Path: view(), ContentType: view(), ContentEncoding: view(), Tenant: view(), Session: view()}
	h.Keep()
	copy(lent, "xxxx")
	if want := (Head{Method: "POST", Path: "POST", ContentType: "POST", ContentEncoding: "POST", Tenant: "POST", Session: "POST"}); h != want {
		t.Errorf("%+v", h)
	}
}

// A header may have 60 KB, which would count in no bound of what is held: of a long session its beginning is kept, and what tells it from
// others.
func TestLongSessionsAreKeptShort(t *testing.T) {
	in := inspector(t, "")
	long := strings.Repeat("x", 60_000)
	sessions := map[string]bool{}
	for _, session := range []string{"a", long[:256], long[:257], long + "a", long + "b"} {
		r, _, _ := in.Begin(&Head{Method: "POST", Path: "/v1/completions", ContentType: "application/json", Session: session})
		r.Write([]byte(`{"prompt":"a"}`))
		got := r.Request().Session
		if sessions[string(got)] = true; len(got) > 300 || len(session) <= 256 && string(got) != session {
			t.Errorf("of %d bytes %d are kept", len(session), len(got))
		}
		in.End(r)
	}
	if len(sessions) != 5 {
		t.Errorf("%d of 5 sessions are told apart", len(sessions))
	}
}

// Likewise of a long tenant, and of a long model that the path has.
func TestLongTenantsAndModelsAreKeptShort(t *testing.T) {
	in := inspector(t, `,"tenant_header":"x-tenant","paths":[{"path":"/of/{model}/completions","format":"completions"}]`)
	long := strings.Repeat("x", 55_000)
	kept := map[string]bool{}
	for _, tail := range []string{"a", "b"} {
		r, _, _ := in.Begin(&Head{Method: "POST", Path: "/of/" + long + tail + "/completions", ContentType: "application/json", Tenant: long + tail})
		r.Write([]byte(`{"prompt":"a"}`))
		got := r.Request()
		if len(got.Tenant) > 300 || len(got.Model) > 300 {
			t.Errorf("of a tenant and a model of 55,000 bytes %d and %d are kept", len(got.Tenant), len(got.Model))
		}
		kept[string(got.Tenant)], kept[string(got.Model)+"m"] = true, true
		in.End(r)
	}
	if len(kept) != 4 {
		t.Errorf("%d of 2 tenants and 2 models are told apart", len(kept))
	}
}

// pictures is a body of a few bytes that is long as a prompt, which waits for its end.
var pictures = []byte(`{"model":"m","messages":[{"content":[` + strings.Repeat(`{"image":""},`, 64))

// What is kept of a body that is held counts, where that is more than has come: a thousand of these could take as much as the module has.
func TestHeldPicturesCountAsKept(t *testing.T) {
	for _, body := range [][]byte{pictures, bytes.Replace(pictures, []byte(`{"content"`), []byte(`{"role":"user","content"`), 1)} {
		in := inspector(t, `,"max_held_bytes":1048576`)
		h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
		var held []*Reading
		memory := 0
		for !in.Crowded() && len(held) < 1000 {
			r, _, _ := in.Begin(&h)
			r.Write(body[:500])
			r.Write(body[500:])
			held, memory = append(held, r), memory+r.Memory()
		}
		if memory > 3<<20 {
			t.Errorf("%d bodies of %d bytes are held and keep %d, want not much more than 1 MiB", len(held), len(body), memory)
		}
		for _, r := range held {
			in.End(r)
		}
		if in.held != 0 || in.open != 0 {
			t.Errorf("at rest %d bytes of %d", in.held, in.open)
		}
	}
}

// Nor do they grow one after the other: some that are held by a single byte have room for what they kept of bodies before, as much in all as
// bodies may take.
func TestUsedReadingsKeepLittle(t *testing.T) {
	in := inspector(t, `,"max_held_bytes":1048576`)
	h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	begin := func(body []byte) *Reading {
		r, _, _ := in.Begin(&h)
		r.Write(body)
		return r
	}
	var held []*Reading
	for range 50 {
		var grown []*Reading
		for range 4 {
			grown = append(grown, begin(pictures))
		}
		for _, r := range grown {
			in.End(r)
		}
		for range 4 {
			held = append(held, begin([]byte("{")))
		}
	}
	memory := 0
	for _, r := range held {
		memory += r.Memory()
	}
	if memory > in.cfg.MaxHeldBytes || in.Crowded() {
		t.Errorf("%d bodies of a byte have room for %d bytes, want 1 MiB at most; crowded: %v", len(held), memory, in.Crowded())
	}
	for _, r := range held {
		in.End(r)
	}
	room := 0
	for _, r := range in.idle {
		room += r.Memory()
	}
	if room != in.spare || in.spare > in.cfg.MaxHeldBytes || len(in.idle) == 0 {
		t.Errorf("at rest %d have room for %d bytes, and %d are counted", len(in.idle), room, in.spare)
	}
}

// A Reading that has room since a long prompt counts no more than another one: what was sent.
func TestRoomOfEarlierBodiesIsNotHeld(t *testing.T) {
	in := inspector(t, "")
	h := Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
	words := strings.Repeat("word ", 40_000)
	r, _ := read(t, in, h, `{"model":"m","tools":["`+words+`"],"messages":[{"role":"user","content":"`+words, 5000)
	in.End(r)
	again, _ := read(t, in, h, `{"model":"m","messages":[{"role":"user","content":"word`, 5000)
	if again != r || in.held != again.Seen() {
		t.Errorf("of %d bytes %d are counted as held", again.Seen(), in.held)
	}
}
