package host

import (
	"bytes"
	"testing"
)

// BenchmarkStream is a request with a 30 KB body in two parts and its answer, through a module that reads headers and body.
// Most of it is the guest, which is no TinyGo module.
func BenchmarkStream(b *testing.B) {
	p, err := guest.NewProxy(b.Context(), Config{LogLevel: LevelInfo, AllowOnHeadersStopIteration: true, PluginConfig: []byte(
		"request_headers|pairs|0\nrequest_headers|return|1\nrequest_body|buffer|0|0|-1\nrequest_body|replace|0|x|y")})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	body := bytes.Repeat([]byte("x"), 15<<10)
	b.ReportAllocs()
	for b.Loop() {
		s := p.NewStream(0)
		s.RequestHeaders(get("/"), false)
		s.RequestBody(body, false)
		s.RequestBody(body, true)
		answer(s)
	}
}

// BenchmarkHostCall is what a call into the host costs beside what it does.
func BenchmarkHostCall(b *testing.B) {
	p, err := guest.NewProxy(b.Context(), Config{LogLevel: LevelInfo, PluginConfig: []byte("configure|setshared|key|12345678|0")})
	if err != nil {
		b.Fatal(err)
	}
	defer p.Close()
	vm := p.VM(0)
	vm.mem.WriteString(1024, "key")
	stack := make([]uint64, 5)
	b.ReportAllocs()
	for b.Loop() {
		copy(stack, []uint64{1024, 3, 1024, 3, 0})
		setSharedData(vm, stack)
	}
}
