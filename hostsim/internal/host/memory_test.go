package host

import (
	"strings"
	"testing"
)

// TestBadAddresses gives every function that takes addresses ones outside of the module's memory.
func TestBadAddresses(t *testing.T) {
	ordinary := "log level time size pairs setpairs get add replace remove buffer buffersize shared setshared register resolve " +
		"enqueue dequeue define metric http property setproperty local status foreign"
	const prepare = "configure|setshared|:path|x|0\nconfigure|register|:path\nconfigure|define|0|m\n"
	for _, function := range strings.Fields(ordinary) {
		p := run(t, prepare+"request_headers|bad|"+function, Config{VMConfig: []byte("vm config")})
		p.NewStream(0).RequestHeaders(get("/"), true)
		wantAll(t, p, function, "6")
	}
	p := run(t, prepare+"request_body|bad|setbuffer", Config{})
	feed(p, p.NewStream(0), "-", "a.")
	wantAll(t, p, "setbuffer", "6")
	for _, function := range []string{"clock", "random", "write"} {
		p := run(t, "configure|bad|"+function, Config{})
		wantAll(t, p, function, "21")
	}
}

func wantAll(t *testing.T, p *Proxy, function, status string) {
	t.Helper()
	if dead := p.VM(0).Dead(); dead != nil {
		t.Errorf("%s: the VM died: %v", function, dead)
	}
	for _, line := range said(p) {
		_, results, found := strings.Cut(line, "bad("+function+") = ")
		if !found {
			continue
		}
		for _, result := range strings.Fields(results) {
			if result != status {
				t.Errorf("%s: results %s, want each %s", function, results, status)
			}
		}
		if results != "" {
			return
		}
	}
	t.Errorf("%s: no result", function)
}

// TestNothingEmptyIsAllocated reads empty values of every kind; the guest traps when asked for 0 bytes.
func TestNothingEmptyIsAllocated(t *testing.T) {
	p := run(t, `
		configure|buffer|6|0|9
		configure|setshared|k||0
		configure|shared|k
		configure|register|q
		configure|enqueue|1|
		configure|dequeue|1
		request_headers|get|0|empty
		request_headers|pairs|1
		request_headers|pairs|4
		request_headers|setproperty|p|
		request_headers|property|p
		request_headers|property|plugin_name
		request_headers|status
		request_body|buffer|0|0|9
		response_headers|allocs`, Config{})
	before := p.VM(0).Allocations()
	s := p.NewStream(0)
	s.RequestHeaders(Headers{{":path", "/"}, {"empty", ""}}, false)
	s.RequestBody(nil, true)
	s.ResponseHeaders(ok200, false)
	if got := p.VM(0).Allocations() - before; got != 0 {
		t.Errorf("%d allocations for empty values", got)
	}
	lines := said(p)
	if last := lines[len(lines)-1]; !strings.HasSuffix(last, "of which empty 0") || p.VM(0).Dead() != nil {
		t.Errorf("guest: %q, dead: %v", last, p.VM(0).Dead())
	}
}
