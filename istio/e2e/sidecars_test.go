//go:build e2eistio

package e2e

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestSidecars: every variant in front of pods that have a sidecar each and take nothing but the mesh's mTLS. Requests and
// readings of metrics come with the gateway's certificate; requests reach the pod that the module named; and where a pod's server
// has died, its sidecar answers 503 in its place, which clients do not see.
func TestSidecars(t *testing.T) {
	s := shared
	policy := func(kind string, spec object) object {
		return object{"apiVersion": "security.istio.io/v1", "kind": kind, "metadata": object{"namespace": "default", "name": "vllm"}, "spec": spec}
	}
	account := func(how style) string { return "cluster.local/ns/" + how.namespace + "/sa/" + how.service }
	selector := object{"matchLabels": object{"app": "vllm"}}
	s.apply(t, []object{
		policy("PeerAuthentication", object{"selector": selector, "mtls": object{"mode": "STRICT"}}),
		policy("AuthorizationPolicy", object{"selector": selector, "rules": []any{
			object{"from": []any{object{"source": object{"principals": []any{account(classic), account(gatewayAPI)}}}}}}}),
	})
	began := time.Now()
	pods := s.startMeshPods(t, 3, withSidecar)
	t.Logf("three pods and their sidecars are up after %.1f s", time.Since(began).Seconds())
	for i, v := range variants {
		t.Run(v.folder, func(t *testing.T) {
			g := s.inFrontOf(t, v)
			if i == 0 {
				onlyByCertificate(t, pods)
			}
			if !v.keyed {
				eventually(t, "the endpoints are the pods, and their metrics have been read", func() bool { return g.hasRead(t, pods) })
			}
			homes := g.keeps(t, 1000*(i+1), v.keyed)
			back := serverDies(t, g, pods, homes, v.folder == "subsets")
			if i == 0 {
				n := 100
				eventually(t, back+" answers again", func() bool {
					n++
					return g.ask(t, story(n), "Hello").replica == back
				})
			}
			if i == len(variants)-1 {
				podDies(t, g, pods[0], homes["replica-0"])
			}
			g.agent.stop() // before the next one, which takes its ports
			sender := "spiffe://" + account(v.style)
			for _, p := range pods {
				from := p.seen()
				t.Logf("%s: %v", p.name, from)
				if from[sender+" GET /metrics"] == 0 && !v.keyed || from[sender+" POST /v1/chat/completions"] == 0 || len(from) > 2 {
					t.Errorf("%s had requests of %v, want those of %s", p.name, from, sender)
				}
			}
		})
	}
}

// onlyByCertificate: a caller that has none of the mesh is not answered.
func onlyByCertificate(t *testing.T, pods []*meshPod) {
	t.Helper()
	for _, p := range pods {
		for _, scheme := range []string{"http", "https"} {
			if status, body := get(t, scheme+"://"+p.address+"/metrics", nil); status != 0 {
				t.Errorf("%s without a certificate: status %d: %.100s", scheme, status, body)
			}
		}
	}
}

// hasRead says whether the module knows these pods, and no others, and has read their metrics.
func (g *gateway) hasRead(t *testing.T, pods []*meshPod) bool {
	t.Helper()
	for _, p := range pods {
		if g.stat(t, `warmroute_last_scrape_timestamp_seconds{endpoint="`+p.address+`"`) == 0 {
			return false
		}
	}
	return g.stat(t, "warmroute_endpoints{") == float64(len(pods)) || g.stat(t, "warmroute_endpoints ") == float64(len(pods))
}

// arrives says whether the proxy sends requests to where the module steers them: routes may come after the filter.
func (g *gateway) arrives(t *testing.T) bool {
	t.Helper()
	for turn := range 6 { // by chance one in three would be there
		if r := g.ask(t, story(0), fmt.Sprintf("Hello %d", turn)); r.status != http.StatusOK || podOf(r.decision["endpoint"]) != r.replica {
			return false
		}
	}
	return true
}

// keeps: twelve new stories, from the first on, are told in four turns each, most of them where they began: some may move for
// their load. It returns the stories that each replica has.
func (g *gateway) keeps(t *testing.T, first int, keyed bool) map[string][]int {
	t.Helper()
	homes, kept := map[string][]int{}, 0
	for n := first; n < first+12; n++ {
		home := ""
		for turn := range 4 {
			r := g.ask(t, story(n), fmt.Sprintf("Question %d", turn))
			if host := podOf(r.decision["endpoint"]); r.status != http.StatusOK || !keyed && host != r.replica {
				t.Errorf("status %d, answered by %s, decided for %s (%v)", r.status, r.replica, host, r.decision)
			}
			if turn == 0 {
				home = r.replica
			} else if r.replica == home {
				kept++
			}
		}
		homes[home] = append(homes[home], n)
	}
	if t.Logf("%d of 36 turns where they began: %v", kept, homes); kept < 27 || len(homes) < 2 {
		t.Errorf("%d of 36 turns were told where they began; the stories are at %v", kept, homes)
	}
	return homes
}

// serverDies: the next turns of all stories are answered, those of the pod by another one. The sidecar's 503 is shown to clients
// only where nothing retries elsewhere, and until it has been noticed. It returns the replica, whose server is back.
func serverDies(t *testing.T, g *gateway, pods []*meshPod, homes map[string][]int, shown bool) string {
	t.Helper()
	var stories []int
	dead := -1
	for i := range pods {
		its := homes[fmt.Sprintf("replica-%d", i)]
		if stories = append(stories, its...); len(its) > 0 {
			dead = i
		}
	}
	p, replica := pods[dead], fmt.Sprintf("replica-%d", dead)
	replied := func() int { return strings.Count(p.sidecar.text(), "POST /v1/chat/completions 503") }
	before, asked, failed := replied(), 0, 0
	p.die()
	func() {
		defer p.serve(t) // for the next variant, too
		answered := 0
		eventually(t, "the sidecar has answered for its server, and then all stories are told elsewhere", func() bool {
			r := g.ask(t, story(stories[asked%len(stories)]), fmt.Sprintf("And then %d?", asked))
			if asked++; r.status != http.StatusOK {
				failed, answered = failed+1, 0
			} else {
				answered++
			}
			return replied() > before && answered >= len(stories)
		})
	}()
	t.Logf("%s had no server: %d requests, of which its sidecar answered %d with 503, and clients saw %d", p.name, asked, replied()-before, failed)
	if failed > 0 && !shown {
		t.Errorf("%d of %d requests failed", failed, asked)
	}
	return replica
}
