package replay

import (
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/trace"
)

// Gateways that send turns of the same conversations and share nothing say so, each once; one that is alone does not, nor do those that share
// news.
func TestGatewaysThatShareNothingSaySo(t *testing.T) {
	loaded, err := Load(t.Context(), module)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close(t.Context())
	o := replayOptions(t, "cache_aware")
	tr := &trace.Trace{BlockSize: 64}
	for i := range 1200 {
		session, turn := i%60, i/60
		after := -1
		if turn > 0 {
			after = i - 60
		}
		blocks := trace.Blocks{{First: uint32(session * 100), N: uint32(10 + 3*turn)}}
		tr.Requests = append(tr.Requests, trace.Request{
			At: int64(i) * 400e6, Session: session, After: after, Blocks: blocks, InputTokens: blocks.Len() * 64, OutputTokens: 20,
		})
	}
	tr.Sessions, tr.IDs = 60, 6000
	o.Trace, o.Scrape = tr, time.Second
	for _, c := range []struct {
		gateways, want int
		sync           Sync
	}{{1, 0, Sync{}}, {2, 2, Sync{}}, {2, 0, Sync{Interval: 50 * time.Millisecond, Delay: time.Millisecond}}} {
		said := 0
		o.Gateways, o.Sync = c.gateways, c.sync
		o.Engine = func(configuration []byte, workers int) (Engine, error) {
			return StartWasm(t.Context(), loaded, configuration, workers, func(e host.Entry) {
				if strings.Contains(e.Message, "other gateways send the same conversations") {
					said++
				}
			})
		}
		if result(t, o); said != c.want {
			t.Errorf("%d gateways, news each %v: said %d times, want %d", c.gateways, c.sync.Interval, said, c.want)
		}
	}
}
