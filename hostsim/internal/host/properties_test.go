package host

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProperties(t *testing.T) {
	p := run(t, `
		configure|property|plugin_root_id
		configure|setproperty|warmroute|x
		request_headers|property|warmroute
		request_headers|setproperty|warmroute|10.0.0.1:80
		request_headers|property|warmroute
		request_headers|setproperty|empty|
		request_headers|property|empty
		request_headers|property|plugin_name
		request_headers|property|plugin_vm_id
		request_headers|property|upstream.address
		request_headers|property|xds.cluster_name`, Config{
		PluginName: "warm", RootID: "root", VMID: "vm",
		Property: func(s *Stream, path []string) ([]byte, bool) {
			if s == nil || strings.Join(path, "/") != "upstream/address" {
				return nil, false
			}
			return []byte{'0' + byte(s.ID())}, true
		},
	})
	s := p.NewStream(0)
	s.RequestHeaders(get("/"), true)
	wantSaid(t, p, `
		property(plugin_root_id) = root
		setproperty(warmroute,x) = status 1
		on request_headers 2 3 1
		property(warmroute) = status 1
		setproperty(warmroute,10.0.0.1:80) = ok
		property(warmroute) = 10.0.0.1:80
		setproperty(empty,) = ok
		property(empty) =
		property(plugin_name) = warm
		property(plugin_vm_id) = vm
		property(upstream.address) = 2
		property(xds.cluster_name) = status 1`)
	if got, found := s.FilterState("wasm.warmroute"); !found || got != "10.0.0.1:80" {
		t.Errorf("filter state %q, %v", got, found)
	}
	if diff := cmp.Diff([]string{"wasm.empty", "wasm.warmroute"}, s.FilterStateNames()); diff != "" {
		t.Errorf("names (-want +got):\n%s", diff)
	}
	other := p.NewStream(0)
	if _, found := other.FilterState("wasm.warmroute"); found {
		t.Error("another stream has it too")
	}
}
