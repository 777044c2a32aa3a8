//go:build e2eistio

package e2e

import (
	"fmt"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
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
	pods := s.startMeshPods(t, 3)
	t.Logf("three pods and their sidecars are up after %.1f s", time.Since(began).Seconds())
	for i, v := range variants {
		t.Run(v.folder, func(t *testing.T) {
			s.apply(t, s.shipped(t, v.style.folder, func(doc object) {
				if doc["kind"] == "StatefulSet" {
					doc["spec"].(object)["replicas"] = 0 // the pods are those above
				}
			}))
			s.apply(t, s.shipped(t, v.folder, nil))
			g := s.startGateway(t, v.style)
			eventually(t, "requests go where they are steered", func() bool { return g.steers(t) && (v.keyed || g.arrives(t)) })
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

// meshPod is a vLLM pod with a sidecar, to which the network's rules lead all connections.
type meshPod struct {
	name, address string
	network       *network
	sidecar       *process
	replica       *httputil.ReverseProxy
	server        *http.Server

	mu   sync.Mutex
	from map[string]int // requests by who sent them, as the sidecar says, and what they are
}

func meshIP(n int) string { return fmt.Sprintf("10.9.1.%d", 11+n) }

// startMeshPods runs pods of the Service vllm until the end of the test.
func (s *stack) startMeshPods(t *testing.T, count int) (list []*meshPod) {
	t.Helper()
	for n := range count {
		how := style{namespace: "default", service: "default", ip: meshIP(n), labels: object{"app": "vllm",
			"statefulset.kubernetes.io/pod-name": fmt.Sprintf("vllm-%d", n), // what the controller adds
			"security.istio.io/tlsMode":          "istio"}}                  // what Istio's injector adds
		how = how.in(t, how.ip)
		p := &meshPod{name: fmt.Sprintf("vllm-%d", n), address: how.ip + ":8000", network: how.network, from: map[string]int{},
			replica: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", replicaPort+n)})}
		// As the injected container istio-init does. Envoy runs as another user here.
		rules := append(how.network.enter(), s.tools+"/bin/pilot-agent", "istio-iptables",
			"-p", "15001", "-z", "15006", "-u", "0", "-m", "REDIRECT", "-i", "*", "-x", "", "-b", "*", "-d", "15090,15021,15020")
		if out, err := exec.Command(rules[0], rules[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("pilot-agent istio-iptables: %v: %s", err, out)
		}
		o, err := addPod(s.kube, how.namespace, p.name, how.ip, how.service, how.labels)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := s.kube.remove(o); err != nil {
				t.Error(err)
			}
		})
		p.sidecar = s.startAgent(t, how, "sidecar", p.name)
		p.serve(t)
		t.Cleanup(p.die)
		list = append(list, p)
	}
	for _, p := range list {
		if err := p.sidecar.await(func() bool { return ready(p.network.client()) }); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// serve runs the pod's server, which passes requests on to its simulated replica.
func (p *meshPod) serve(t *testing.T) {
	t.Helper()
	listener, err := p.network.listen(p.address)
	if err != nil {
		t.Fatal(err)
	}
	p.server = &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, sender, _ := strings.Cut(r.Header.Get("x-forwarded-client-cert"), ";URI=")
		p.mu.Lock()
		p.from[sender+" "+r.Method+" "+r.URL.Path]++
		p.mu.Unlock()
		p.replica.ServeHTTP(w, r)
	})}
	go func() { _ = p.server.Serve(listener) }()
}

// die ends the pod's server, and what goes on there. Its sidecar lives on.
func (p *meshPod) die() { p.server.Close() }

// seen is what the server has had since the last call.
func (p *meshPod) seen() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	defer func() { p.from = map[string]int{} }()
	return p.from
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

// podDies: the sidecar too, before anyone knows. The stories that the pod had are told elsewhere.
func podDies(t *testing.T, g *gateway, p *meshPod, stories []int) {
	t.Helper()
	p.die()
	for _, pid := range append(children(p.sidecar.cmd.Process.Pid), p.sidecar.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	<-p.sidecar.done
	for _, n := range append(stories, 7777) {
		if r := g.ask(t, story(n), "And without the pod?"); r.status != http.StatusOK || r.replica == "replica-0" {
			t.Errorf("story %d: status %d of %q: %s", n, r.status, r.replica, r.body)
		}
	}
}
