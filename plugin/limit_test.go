package main

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tetratelabs/proxy-wasm-go-sdk/proxywasm/types"
)

// Once the proxy has refused a body that it could not hold, no more is held than it can; what is left of a body is read as it passes.
func TestProxyThatHoldsLittle(t *testing.T) {
	host := started(t)
	if err := host.SetProperty([]string{"response", "code_details"}, []byte("request_payload_too_large")); err != nil {
		t.Fatal(err)
	}
	part := strings.Repeat("word ", 2000)
	begin := func(length string) uint32 {
		id := host.InitializeHttpContext()
		headers := postHeaders
		if length != "" {
			headers = append([][2]string{{"content-length", length}}, postHeaders...)
		}
		if got := host.CallOnRequestHeaders(id, headers, false); got != types.ActionPause {
			t.Errorf("headers: got action %v, want pause", got)
		}
		return id
	}
	held := func(id uint32) (parts int) {
		text := `{"model":"m","prompt":"` + strconv.Itoa(int(id)) // a new one: nothing is known of it before its end
		for host.CallOnRequestBody(id, []byte(text+part), false) == types.ActionPause && parts < 6 {
			text = ""
			parts++
		}
		return parts
	}
	refused := func(id uint32) {
		host.CallOnResponseHeaders(id, [][2]string{{":status", "413"}}, true)
		host.CompleteHttpContext(id)
	}
	if id := begin(""); held(id) != 6 {
		t.Error("a body is not held to begin with")
	} else {
		refused(id)
	}
	for _, c := range []struct {
		name, length string
		want         int
	}{
		{"no length", "", 2},
		{"one that has been held", "60000", 5},
		{"a longer one", "200000", 2},
	} {
		id := begin(c.length)
		if got := held(id); got != c.want {
			t.Errorf("%s: %d parts are held, want %d", c.name, got, c.want)
		}
		if !strings.HasPrefix(header(host.GetCurrentRequestHeaders(id), "x-gateway-destination-endpoint"), "10.0.0.") {
			t.Errorf("%s: it is not steered", c.name)
		}
		host.CompleteHttpContext(id)
	}
	id := begin("")
	host.CallOnRequestBody(id, []byte(`{"model":"m","prompt":"`+part), false) // the first part is all that it takes
	refused(id)
	if id := begin(""); held(id) != 0 {
		t.Error("more than the first part is held of a proxy that holds nothing")
	}
}
