//go:build e2eistio

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"testing"
)

// TestAmbient: every variant in front of pods of the ambient mode, to which nothing but the mesh's tunnels (HBONE) leads. Requests and readings of
// metrics go through them to the pod that the module named; and where a pod's server has died, another one's answers.
func TestAmbient(t *testing.T) {
	s := shared
	pods := s.startMeshPods(t, 3, inAmbient)
	for i, v := range variants {
		t.Run(v.folder, func(t *testing.T) {
			g := s.inFrontOf(t, v)
			if !v.keyed {
				eventually(t, "the endpoints are the pods, and their metrics have been read", func() bool { return g.hasRead(t, pods) })
			}
			homes := g.keeps(t, 1000*(i+1), v.keyed)
			for _, p := range pods {
				from := p.seen()
				if t.Logf("%s: %v", p.name, from); from["spiffe://cluster.local/ns/"+v.style.namespace+"/sa/"+v.style.service+" CONNECT"] == 0 {
					t.Errorf("%s had no tunnel from the gateway", p.name)
				}
			}
			goes(t, g, pods[i%len(pods)], homes, v.folder == "subsets")
			g.agent.stop() // before the next one, which takes its ports
		})
	}
}

// goes: the server of a pod ends, and its stories go on elsewhere, without an error unless one may be shown. Then it is back.
func goes(t *testing.T, g *gateway, p *meshPod, homes map[string][]int, shown bool) {
	t.Helper()
	stories := slices.Concat(slices.Collect(maps.Values(homes))...)
	p.die()
	defer p.serve(t)
	asked, failed, answered := 0, 0, 0
	eventually(t, "all stories are told elsewhere", func() bool {
		r := g.ask(t, story(stories[asked%len(stories)]), fmt.Sprintf("And then %d?", asked))
		if asked, answered = asked+1, answered+1; r.status != http.StatusOK {
			failed, answered = failed+1, 0
		}
		return answered >= 2*len(stories)
	})
	if t.Logf("%s had no server: clients saw %d errors in %d requests", p.name, failed, asked); failed > 0 && !shown {
		t.Errorf("%d of %d requests failed", failed, asked)
	}
}
