//go:build e2eistio

package e2e

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// membership is how pods belong to the mesh.
type membership struct {
	labels, annotations object
	env                 []string // of the pod's agent
	tunnels             bool     // nothing but tunnels (HBONE) leads to the pod's server
}

var (
	// What Istio's injector adds.
	withSidecar = membership{labels: object{"security.istio.io/tlsMode": "istio"}}
	// What Istio's CNI adds in ambient mode. Of the agent only the certificates are used.
	inAmbient = membership{annotations: object{"ambient.istio.io/redirection": "enabled"}, env: []string{"DISABLE_ENVOY=true", outputCerts}, tunnels: true}
)

// meshPod is a vLLM pod with a sidecar, to which the network's rules lead all connections, or with the end of tunnels.
type meshPod struct {
	name, address string
	listens       string // where its server does
	network       *network
	sidecar       *process
	replica       *httputil.ReverseProxy
	server        *http.Server

	mu   sync.Mutex
	from map[string]int // requests by who sent them, as the sidecar says, or the tunnels' end, and what they are
}

// ip is the address of pod n. Each kind has its own: istiod keeps what it knows of one while its EndpointSlice stays.
func (by membership) ip(n int) string {
	if by.tunnels {
		return fmt.Sprintf("10.9.1.%d", 31+n)
	}
	return fmt.Sprintf("10.9.1.%d", 11+n)
}

// startMeshPods runs pods of the Service vllm until the end of the test.
func (s *stack) startMeshPods(t *testing.T, count int, by membership) (list []*meshPod) {
	t.Helper()
	for n := range count {
		how := style{namespace: "default", service: "default", ip: by.ip(n), labels: object{"app": "vllm",
			"statefulset.kubernetes.io/pod-name": fmt.Sprintf("vllm-%d", n)}} // what the controller adds
		maps.Copy(how.labels, by.labels)
		how = how.in(t, how.ip, by.env...)
		p := &meshPod{name: fmt.Sprintf("vllm-%d", n), address: how.ip + ":8000", listens: how.ip + ":8000", network: how.network, from: map[string]int{},
			replica: httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: fmt.Sprintf("127.0.0.1:%d", replicaPort+n)})}
		if by.tunnels {
			p.listens = "127.0.0.1:8000"
		} else {
			p.redirect(t, s.tools)
		}
		o, err := addPod(s.kube, how.namespace, p.name, how.ip, how.service, how.labels, by.annotations)
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
		up := func() bool { return ready(p.network.client()) }
		if by.tunnels {
			up = func() bool { return p.endTunnels(t) }
		}
		if err := p.sidecar.await(up); err != nil {
			t.Fatal(err)
		}
	}
	return list
}

// redirect sets the network's rules as the injected container istio-init does. Envoy runs as another user here.
func (p *meshPod) redirect(t *testing.T, tools string) {
	t.Helper()
	rules := append(p.network.enter(), tools+"/bin/pilot-agent", "istio-iptables",
		"-p", "15001", "-z", "15006", "-u", "0", "-m", "REDIRECT", "-i", "*", "-x", "", "-b", "*", "-d", "15090,15021,15020")
	if out, err := exec.Command(rules[0], rules[1:]...).CombinedOutput(); err != nil {
		t.Fatalf("pilot-agent istio-iptables: %v: %s", err, out)
	}
}

// inFrontOf starts the gateway of a variant whose pods are there already.
func (s *stack) inFrontOf(t *testing.T, v variant) *gateway {
	t.Helper()
	s.apply(t, s.shipped(t, v.style.folder, func(doc object) {
		if doc["kind"] == "StatefulSet" {
			doc["spec"].(object)["replicas"] = 0
		}
	}))
	s.apply(t, s.shipped(t, v.folder, nil))
	g := s.startGateway(t, v.style)
	eventually(t, "requests go where they are steered", func() bool { return g.steers(t) && (v.keyed || g.arrives(t)) })
	return g
}

// serve runs the pod's server, which passes requests on to its simulated replica.
func (p *meshPod) serve(t *testing.T) {
	t.Helper()
	listener, err := p.network.listen(p.listens)
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
