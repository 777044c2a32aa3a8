package clusters

import "testing"

func TestNames(t *testing.T) {
	for _, c := range []struct{ listener, address, name string }{
		{"", "10.0.0.1:80", "10.0.0.1:80"},
		{"", "[fd00::1]:80", "[fd00::1]:80"},
		{"connect_originate", "10.0.0.1:80", "envoy://connect_originate/10.0.0.1:80"},
		{"connect_originate", "[fd00::1]:80", "envoy://connect_originate/[fd00::1]:80"},
		{"a/b", "10.0.0.1:80", "envoy://a/b/10.0.0.1:80"},
	} {
		if name := Name(c.listener, c.address); name != c.name || string(AppendName([]byte("x,"), c.listener, c.address)) != "x,"+c.name {
			t.Errorf("the name of %s by %q is %s, want %s", c.address, c.listener, name, c.name)
		}
		if address := AddressOf([]byte(c.name)); string(address) != c.address {
			t.Errorf("the address of %s is %s, want %s", c.name, address, c.address)
		}
	}
	for _, name := range []string{"", "envoy://main/", "envoy://main/inference", "envoy://main/a:80", "envoy://10.0.0.1", "/run/vllm.sock"} {
		if address := AddressOf([]byte(name)); string(address) != name {
			t.Errorf("%s has the address %s", name, address)
		}
	}
}
