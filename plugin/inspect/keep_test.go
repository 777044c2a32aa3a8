package inspect

import (
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
