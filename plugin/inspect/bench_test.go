package inspect

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/route"
	"warmroute/plugin/share"
)

// BenchmarkRequest is a whole request of which nobody holds anything, and one whose prompt is held but for its end: read
// in pieces of 16 KB, decided, told to the other workers and ended.
func BenchmarkRequest(b *testing.B) {
	cfg, err := config.Parse([]byte(`{"policy":"cache_aware","seed":1,"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80","10.0.0.5:80","10.0.0.6:80","10.0.0.7:80","10.0.0.8:80"]}`))
	if err != nil {
		b.Fatal(err)
	}
	for _, kb := range []int{4, 64, 400, 1024} {
		for _, kind := range []string{"new", "next"} {
			b.Run(fmt.Sprintf("%dKB/%s", kb, kind), func(b *testing.B) {
				in, err := New(&cfg)
				if err != nil {
					b.Fatal(err)
				}
				r := route.New(&cfg, 1)
				for i := range r.Endpoints {
					r.SetCache(i, 1_500_000)
				}
				board := share.New(shared{}, r)
				head := &Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
				text := strings.Repeat("The pear trees along the south wall want pruning before the frost. ", kb<<10/67)
				body := []byte(`{"model":"m","tools":[],"messages":[{"role":"system","content":"0000000000"},{"role":"user","content":"` + text + `0000000000"}]}`)
				at := strings.Index(string(body), "0000000000")
				if kind == "next" {
					at = len(body) - 20
				}
				var d route.Decision
				var a Answer
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				now, n := int64(1e9), 1_000_000_000
				for b.Loop() {
					n++
					strconv.AppendInt(body[at:at:at+10], int64(n), 10)
					reading, _, _ := in.Begin(head)
					for i := 0; i < len(body); i += 16 << 10 {
						reading.Write(body[i:min(i+16<<10, len(body))])
					}
					a.Decide(r, board, reading.Request(), &d, now)
					in.End(reading)
					a.End(now, false)
					now += 1e8
				}
			})
		}
	}
}

// shared is shared data without a proxy.
type shared map[string][]byte

func (s shared) Get(key string) ([]byte, uint32, bool) {
	value, ok := s[key]
	return value, 0, ok
}

func (s shared) Set(key string, value []byte, _ uint32) bool {
	s[key] = append(s[key][:0], value...)
	return true
}
