package worker

import (
	"testing"

	"warmroute/plugin/share/memstore"
)

// What conversations lose by the shadow's choices its workers know of each other, as the live pool's do.
func TestShadowsShareWhatConversationsLose(t *testing.T) {
	const configuration = `{"policy":"prefix_hash","shadow":"cache_aware","endpoints":["10.0.0.1:80","10.0.0.2:80"],"seed":5,"scrape":{"path":""}}`
	shared := memstore.New()
	one, other := workerOf(t, configuration, shared), workerOf(t, configuration, shared)
	for at := 2 * second; at < 8*second; at += second {
		for _, w := range []*Worker{one, other} {
			w.Tick(at)
			ask(t, w, "Why?", at)
		}
		if at == 3*second {
			for range 4 {
				one.pools[0].shadow.pool.NoteThrash(0, 1000, at)
			}
		}
	}
	if got, _ := other.pools[0].shadow.pool.Thrash(0, 8*second); got < 3900 {
		t.Errorf("%.0f tokens are lost by another worker's shadow, want 4000", got)
	}
	if got, _ := other.pools[0].known.Thrash(0, 8*second); got != 0 {
		t.Errorf("%.0f tokens are lost at the live pool", got)
	}
}
