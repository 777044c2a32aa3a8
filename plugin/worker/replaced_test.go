package worker

import (
	"strings"
	"testing"

	"warmroute/plugin/config"
	"warmroute/plugin/prefix"
	"warmroute/plugin/prefix/prefixtest"
	"warmroute/plugin/share/memstore"
)

// The endpoint at an index was replaced while a request to it was on its way; the proxy's retry reached the new one.
func TestReplacedAndRetried(t *testing.T) {
	const configuration = `{"endpoints":["10.0.0.1:80"],"scrape":{"path":""}}`
	shared := memstore.New()
	w, peer := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	ask(t, w, "Hello", 1).End(1, true)
	ask(t, peer, "Hello", 1).End(1, true)
	x := ask(t, w, strings.Repeat("Some text. ", 100), 1e9)
	peer.pools[0].board.Sync(1e9)
	g := w.pools[0].board.Generation().With("other")
	for _, of := range []*Worker{w, peer} {
		of.pools[0].known.Place(0, config.Endpoint{Address: "10.0.0.2:80", Weight: 1}, 15e8)
		of.pools[0].board.SetGeneration(g)
	}
	x.Headers(Server{Address: "10.0.0.2:80", Attempts: 2}, 200, "application/json", 2e9)
	x.Chunk(2e9)
	x.Complete()
	x.End(3e9, false)
	w.pools[0].board.Publish(3e9)
	peer.pools[0].board.Sync(3e9)
	c := x.decision.Chain
	chain := prefix.Chain{Hash: append([]uint64(nil), c.Hash...), End: append([]uint32(nil), c.End...)}
	if got := prefixtest.Used(peer.pools[0].known.Index, 0, &chain); got != 0 {
		t.Errorf("at the peer %d blocks are in use when the request has ended", got)
	}
}
