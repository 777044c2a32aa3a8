package worker

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/inspect"
	"warmroute/plugin/share/memstore"
)

// BenchmarkRequest is a whole request of which nobody holds anything, and one whose prompt is held but for its end: read in
// pieces of 16 KB, decided, published to the other workers and ended.
func BenchmarkRequest(b *testing.B) {
	cfg, err := config.Parse([]byte(`{"seed":1,"endpoints":["10.0.0.1:80","10.0.0.2:80","10.0.0.3:80","10.0.0.4:80","10.0.0.5:80","10.0.0.6:80","10.0.0.7:80","10.0.0.8:80"]}`))
	if err != nil {
		b.Fatal(err)
	}
	for _, kb := range []int{4, 64, 400, 1024} {
		for _, kind := range []string{"new", "next"} {
			b.Run(fmt.Sprintf("%dKB/%s", kb, kind), func(b *testing.B) {
				w, err := New(&cfg, memstore.New(), nil, 1, second)
				if err != nil {
					b.Fatal(err)
				}
				for i := range w.pools[0].known.Endpoints {
					w.pools[0].known.SetCache(i, 1_500_000)
				}
				head := &inspect.Head{Method: "POST", Path: "/v1/chat/completions", ContentType: "application/json"}
				text := strings.Repeat("The pear trees along the south wall want pruning before the frost. ", kb<<10/67)
				body := []byte(`{"model":"m","tools":[],"messages":[{"role":"system","content":"0000000000"},{"role":"user","content":"` + text + `0000000000"}]}`)
				at := strings.Index(string(body), "0000000000")
				if kind == "next" {
					at = len(body) - 20
				}
				var x Exchange
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				now, n := second, int64(1_000_000_000)
				for b.Loop() {
					n++
					strconv.AppendInt(body[at:at:at+10], n, 10)
					x.Begin(w, head)
					for i := 0; i < len(body); i += 16 << 10 {
						x.Write(body[i:min(i+16<<10, len(body))])
					}
					x.Decide(true, now)
					x.End(now, false)
					now += 1e8
				}
			})
		}
	}
}
