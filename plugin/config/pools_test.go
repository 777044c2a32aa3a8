package config

import (
	"strings"
	"testing"
)

// What a pattern's * stands for is a part of the pool's name; other clusters have other names, however odd.
func TestPatternNames(t *testing.T) {
	p := NamedPool{Name: "all-*"}
	p.Match.Cluster = "outbound|80||*.local"
	seen := map[string]string{}
	for _, c := range []struct{ part, want string }{
		{"vllm.models.svc", "all-vllm.models.svc"},
		{"a=b", "all-a_b-"}, {"a;b", "all-a_b-"}, {"a_b", "all-a_b"}, {"ä", "all-__-"},
		{strings.Repeat("x", longestLabel), "all-" + strings.Repeat("x", longestLabel)},
		{strings.Repeat("x", longestLabel) + "y", "all-" + strings.Repeat("x", longestLabel) + "-"},
		{strings.Repeat("x", longestLabel) + "z", "all-" + strings.Repeat("x", longestLabel) + "-"},
	} {
		found := p.Found("outbound|80||" + c.part + ".local")
		if found == nil {
			t.Errorf("%q: not found", c.part)
			continue
		}
		got := found.Name
		if strings.HasSuffix(c.want, "-") && len(got) == len(c.want)+8 {
			got = got[:len(c.want)]
		}
		if got != c.want {
			t.Errorf("%q is named %q, want %q", c.part, found.Name, c.want)
		}
		if other, taken := seen[found.Name]; taken {
			t.Errorf("%q and %q are both named %q", c.part, other, found.Name)
		}
		seen[found.Name] = c.part
	}
	for _, other := range []string{"outbound|80||.local", "outbound|81||a.local", "outbound|80||a.locals"} {
		if found := p.Found(other); found != nil {
			t.Errorf("%q is found as %q", other, found.Name)
		}
	}
}
