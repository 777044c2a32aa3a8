package config

import (
	"net/netip"
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	for _, c := range []struct{ text, want, fault string }{
		{"10.0.0.1:8000", "10.0.0.1:8000", ""},
		{"[::1]:8000", "[::1]:8000", ""},
		{"[2001:DB8:0:0:1:0:0:1]:1", "[2001:db8::1:0:0:1]:1", ""},
		{"[::ffff:10.0.0.1]:65535", "[::ffff:10.0.0.1]:65535", ""},
		{"10.0.0.1:08000", "10.0.0.1:8000", ""},
		{"", "", "is empty"},
		{"10.0.0.1", "", "a port 1–65535 is missing"},
		{"10.0.0.1:", "", "a port 1–65535 is missing"},
		{"[::1]", "", "a port 1–65535 is missing"},
		{"[::1]:", "", "a port 1–65535 is missing"},
		{"10.0.0.1:0", "", "must be 1–65535"},
		{"10.0.0.1:65536", "", "must be 1–65535"},
		{"10.0.0.1:80a", "", "must be 1–65535"},
		{"10.0.0.1:-1", "", "must be 1–65535"},
		{"10.0.0.256:80", "", "four numbers"},
		{"10.0.1:80", "", "four numbers"},
		{"10.0.0.01:80", "", "four numbers"},
		{":80", "", "four numbers"},
		{"vllm-0.vllm:8000", "", "matches addresses, not names"},
		{"localhost", "", "matches addresses, not names"},
		{"http://10.0.0.1:80", "", "has no scheme"},
		{"::1:8000", "", "[address]:port"},
		{"[fe80::1%eth0]:80", "", "zone"},
		{"[10.0.0.1]:80", "", "no IPv6 address"},
		{"[::1:80", "", "[address]:port"},
		{"[::1]x:80", "", "[address]:port"},
	} {
		got, fault := parseAddress(c.text)
		if got != c.want || (fault == "") != (c.fault == "") || !strings.Contains(fault, c.fault) {
			t.Errorf("%q: got %q, %q; want %q, %q", c.text, got, fault, c.want, c.fault)
		}
	}
}

// checkAddress compares parseAddress with net/netip, which the module leaves out.
func checkAddress(t *testing.T, s string) {
	t.Helper()
	got, fault := parseAddress(s)
	want, err := netip.ParseAddrPort(s)
	ok := err == nil && want.Port() != 0 && want.Addr().Zone() == ""
	if ok != (fault == "") {
		if _, port, found := strings.Cut(s, "]:"); found || strings.Count(s, ":") == 1 {
			if !found {
				_, port, _ = strings.Cut(s, ":")
			}
			if len(port) > 5 {
				return // zeros before the port: we allow five digits
			}
		}
		t.Fatalf("%q: got %q, %q; netip says %v, %v", s, got, fault, want, err)
	}
	if ok && got != want.String() {
		t.Fatalf("%q: got %q, netip prints %q", s, got, want)
	}
}

var addresses = []string{
	"1.2.3.4:5", "255.255.255.255:65535", "[::]:1", "[1::]:1", "[::1]:1", "[1:2:3:4:5:6:7:8]:1", "[1:2:3:4:5:6:7::]:1", "[::2:3:4:5:6:7:8]:1",
	"[1::3:4:5:6:7:8]:1", "[0:0:1:0:0:0:1:0]:1", "[0:0:1:0:0:1:0:0]:1", "[1:0:2:0:3:0:4:0]:1", "[::1.2.3.4]:1", "[::ffff:1.2.3.4]:1",
	"[::ffff:0:1.2.3.4]:1", "[64:ff9b::1.2.3.4]:1", "[1:2:3:4:5:6:1.2.3.4]:1", "[1:2:3:4:5:6:7:1.2.3.4]:1", "[1.2.3.4::]:1", "[::1.2.3.4:1]:1",
	"[1:2:3:4:5:6:7:8:9]:1", "[1:2:3:4:5:6:7]:1", "[1::2::3]:1", "[:::]:1", "[:1::]:1", "[1:]:1", "[::1:]:1", "[12345::]:1", "[g::]:1", "[+1::]:1",
	"[]:1", "[::1]]:1", "[[::1]:1", "1.2.3:1", "1.2.3.4.5:1", "1..3.4:1", "1.2.3.4 :1", " 1.2.3.4:1", "1.2.3.4:+1", "1.2.3.4:1 ", "1.2.3.4", "::1:1",
	"[0:0:0:0:0:ffff:1:2]:1", "[::1.2.3.04]:1", "[::1.2.3]:1", "[1_0::]:1", "[::_1]:1", "[0x1::]:1", "1.2.3.4:00001",
}

func TestAddressesAgreeWithNetip(t *testing.T) {
	for _, s := range addresses {
		checkAddress(t, s)
	}
}

func FuzzAddress(f *testing.F) {
	for _, s := range addresses {
		f.Add(s)
	}
	f.Fuzz(checkAddress)
}
