package inspect

import (
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
