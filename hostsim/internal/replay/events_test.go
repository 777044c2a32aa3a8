package replay

import (
	"testing"

	"warmroute/hostsim/internal/peers"
	"warmroute/hostsim/internal/router"
)

// listening checks what an engine is told of caches when a request comes.
type listening struct {
	router.Engine
	caches router.Caches
	run    *heardOf
}

// heardOf is what a run's engines heard.
type heardOf struct{ requests, blocks, held int }

func (l *listening) Hear(blockSize int, caches router.Caches) bool {
	l.caches = caches
	return blockSize == 64
}

func (l *listening) Begin(worker int, r *router.Request) (router.Ticket, error) {
	held, _ := l.caches("10.0.0.0:8000", r.Blocks)
	l.run.requests++
	l.run.blocks += len(r.Blocks)
	l.run.held += held
	return l.Engine.Begin(worker, r)
}

// Engines hear what caches hold: with one replica, as many blocks as that then finds.
func TestEnginesHear(t *testing.T) {
	o := replayOptions(t, "cache_aware")
	o.Replicas, o.Gateways = 1, 1
	native, heard := o.Engine, &heardOf{}
	o.Engine = func(configuration []byte, workers int) (router.Engine, error) {
		e, err := native(configuration, workers)
		return &listening{Engine: e, run: heard}, err
	}
	got := result(t, o)
	if heard.requests != len(o.Trace.Requests) || heard.blocks == 0 || heard.held == 0 {
		t.Fatalf("%+v", heard)
	}
	found := float64(heard.held) / float64(heard.blocks)
	if found < .8*got.TokenHitRatio || found > 1.2*got.TokenHitRatio {
		t.Errorf("%.3f of the blocks were held when requests came, and %.3f of the tokens found", found, got.TokenHitRatio)
	}
}

// Peers that hear events find more than those that know only what they sent.
func TestPeersHear(t *testing.T) {
	hits := map[string]float64{}
	for _, policy := range []string{"peer:kubeai_least_load", "peer:dynamo", "peer:llmd_precise", "peer:llmd_sticky"} {
		o := replayOptions(t, policy)
		o.Engine = func(configuration []byte, _ int) (router.Engine, error) { return peers.New(configuration) }
		hits[policy] = result(t, o).TokenHitRatio
	}
	for policy, hit := range hits {
		if policy != "peer:kubeai_least_load" && hit <= hits["peer:kubeai_least_load"] {
			t.Errorf("%s found %.3f of the tokens, least load %.3f", policy, hit, hits["peer:kubeai_least_load"])
		}
	}
}
