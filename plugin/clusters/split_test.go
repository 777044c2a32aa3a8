package clusters

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"warmroute/testdata/golden"
)

// joined is a page of the parts of another that belong to a cluster.
func joined(page []byte, parts []Part, cluster string) []byte {
	one := []byte(`{"cluster_statuses":[`)
	for _, p := range parts {
		if Covers(cluster, p.Name) {
			if one[len(one)-1] != '[' {
				one = append(one, ',')
			}
			one = append(one, page[p.From:p.To]...)
		}
	}
	return append(one, `]}`...)
}

// What a page's parts say of a cluster is what the page says.
func TestSplit(t *testing.T) {
	pages := golden.Pages(t, dir+"/*.json")
	pages["made"] = poolPage(20, 5)
	for name, text := range pages {
		for _, step := range []int{1, 1000, len(text)} {
			var s Splitter
			s.Reset()
			for rest := text; len(rest) > 0; {
				n := min(step, len(rest))
				s.Write(rest[:n])
				rest = rest[n:]
			}
			parts, ok := s.Close()
			if !ok {
				t.Fatalf("%s: no page", name)
			}
			for _, cluster := range []string{"vllm", "plain", "empty", "cluster-7", "outbound|8000||vllm.default.svc.cluster.local", "none"} {
				want, err := readHosts(text, cluster, len(text), nil)
				got, err2 := readHosts(joined(text, parts, cluster), cluster, 1<<20, nil)
				if err != err2 || !slices.Equal(got, want) {
					t.Errorf("%s, %s: by its part\n%s\nwhole\n%s", name, cluster, showList(got, err2), showList(want, err))
				}
			}
		}
	}
	for _, bad := range []string{"", "{", `{"cluster_statuses":[]`, `{"a":[]}`, `}`, `{"cluster_statuses":[]}}`, `{"cluster_statuses":"[{}]"}`} {
		var s Splitter
		s.Write([]byte(bad))
		if _, ok := s.Close(); ok {
			t.Errorf("%q is taken for a page", bad)
		}
	}
}

// Two readers of one page: by its parts it says what it says as a whole, but for names with escapes, which Envoy's have not.
func FuzzSplit(f *testing.F) {
	for _, text := range golden.Pages(f, dir+"/*.json") {
		f.Add(text)
	}
	f.Add([]byte(page(hostJSON("::1", 80, `,"weight":2`))))
	f.Fuzz(func(t *testing.T, text []byte) {
		var s Splitter
		s.Write(text)
		parts, ok := s.Close()
		if want, err := readHosts(text, "vllm", len(text)+1, nil); err == nil && ok && json.Valid(text) && bytes.IndexByte(text, '\\') < 0 {
			if got, err := readHosts(joined(text, parts, "vllm"), "vllm", 1<<20, nil); err != nil || !slices.Equal(got, want) {
				t.Fatalf("by its parts\n%s\nwhole\n%s", showList(got, err), showList(want, nil))
			}
		}
		for _, p := range parts {
			if p.From < 0 || p.To > len(text) || p.From >= p.To || text[p.From] != '{' {
				t.Fatalf("%+v of %d bytes", p, len(text))
			}
		}
	})
}
