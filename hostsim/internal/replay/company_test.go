package replay

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/host"
	"warmroute/hostsim/internal/ours"
	"warmroute/hostsim/internal/router"
	"warmroute/hostsim/internal/trace"
)

// Gateways that send turns of the same conversations and share nothing say so, each once; one that is alone does not, nor do those that share
// news.
func TestGatewaysThatShareNothingSaySo(t *testing.T) {
	loaded, err := ours.Load(t.Context(), module)
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
		o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
			return ours.StartWasm(t.Context(), loaded, configuration, workers, func(e host.Entry) {
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

// Gateways that share nothing send prompts about one text to one place, though they know the text from their own prompts alone: each conversation
// to a place of its own would have all texts computed everywhere, where memory does not hold them.
func TestGatewaysThatShareNothingMeetByText(t *testing.T) {
	const texts, text, own = 48, 40, 6 // blocks of 64 tokens: of a text, and of a question about it
	tr := &trace.Trace{BlockSize: 64}
	random := rand.New(rand.NewPCG(1, 1))
	for i := range 2400 {
		blocks := trace.Blocks{{First: uint32(random.IntN(texts) * text), N: text}, {First: uint32(texts*text + i*own), N: own}}
		tr.Requests = append(tr.Requests, trace.Request{
			At: int64(i) * 150e6, Session: i, After: -1, Blocks: blocks, InputTokens: blocks.Len() * 64, OutputTokens: 20,
		})
	}
	tr.Sessions, tr.IDs = len(tr.Requests), texts*text+len(tr.Requests)*own
	o := replayOptions(t, "cache_aware")
	o.Trace, o.Scrape = tr, time.Second
	o.Gateways = 1
	one := result(t, o).TokenHitRatio
	for gateways, least := range map[int]float64{2: 0.85, 4: 0.8} { // by conversation .80 and .76
		o.Gateways = gateways
		if got := result(t, o).TokenHitRatio; got < least*one {
			t.Errorf("%d gateways find %.3f of the tokens, one %.3f; want at least %v of that", gateways, got, one, least)
		}
	}
}
