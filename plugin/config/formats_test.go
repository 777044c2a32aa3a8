package config

import (
	"math"
	"testing"
	"time"

	"warmroute/plugin/prompt"
)

func TestParseSpan(t *testing.T) {
	for _, s := range []string{
		"250ms", "1s", "1.5s", "2m", "0s", "10us", ".5s", "5.s", "0.000001s", "1.25m", "00001s", "0.1m", "59.999999s",
	} {
		want, err := time.ParseDuration(s)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := parseSpan(s); !ok || got != int64(want) {
			t.Errorf("%q: got %d, %v; want %d", s, got, ok, int64(want))
		}
	}
	for _, s := range []string{"", "s", ".", ".s", "1", "1 s", "-1s", "+1s", "1h", "1S", "1s500ms", "1e3ms", "PT1S", "1.2.3s", "1s "} {
		if got, ok := parseSpan(s); ok {
			t.Errorf("%q: accepted as %d", s, got)
		}
	}
	for _, s := range []string{"99999999999999999999m", "9223372036854775807s", "153722867281m"} {
		if got, ok := parseSpan(s); !ok || got != math.MaxInt64 {
			t.Errorf("%q: got %d, %v; want the largest", s, got, ok)
		}
	}
	if got, ok := parseSpan("1.99999999999999999999999s"); !ok || got < 1_999_999_980 || got > 2e9 {
		t.Errorf("a long fraction gives %d", got)
	}
}

func TestFormats(t *testing.T) {
	for _, c := range []struct {
		what      string
		check     func(string) string
		good, bad []string
	}{
		{"header", checkHeader,
			[]string{"", "x-session-id", "x_1", "a.b~c"},
			[]string{"X-Session", ":path", "a b", "a:b", "é", "a\n", "\x00"}},
		{"own header", checkOwnHeader,
			[]string{"", "x-target", "x-envoy-original-dst-host", EndpointHeader, ClusterHeader},
			append([]string{"X-Target", ":authority"}, takenHeaders[:]...)},
		{"cluster", checkCluster,
			[]string{"", "vllm-0", "outbound|8000|v1|vllm.ns.svc.cluster.local"},
			[]string{"a b", "a\r\nb", "é", "\x7f"}},
		{"path pattern", prompt.CheckPattern,
			[]string{"/", "/v1/chat", "/api/{model}/chat", "/m/{model}:predict", "/{a}/{b}", "/{a}-{b}"},
			[]string{"", "v1", "/a?b", "/a#b", "/a b", "/{", "/}", "/{}", "/{a", "/{a/b}", "/{{a}}", "/{a}}", "/{a}{b}", "/é"}},
		{"pointer", func(s string) string { _, fault := prompt.ParsePointer(s); return fault },
			[]string{"", "/", "/input/text", "/a~0b/c~1d", "/0", "/é"},
			[]string{"input", "#/a", "/~", "/a~", "/a~2", "/~~0"}},
	} {
		for _, s := range c.good {
			if fault := c.check(s); fault != "" {
				t.Errorf("%s %q %s", c.what, s, fault)
			}
		}
		for _, s := range c.bad {
			if c.check(s) == "" {
				t.Errorf("%s %q is accepted", c.what, s)
			}
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"policy", "polcy", 1}, {"kitten", "sitting", 3}, {"same", "same", 0}, {"ab", "ba", 2},
	} {
		if got := distance(c.a, c.b); got != c.want {
			t.Errorf("%q to %q: got %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
