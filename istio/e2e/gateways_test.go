//go:build e2eistio

package e2e

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const (
	certificates = "certificates" // folder where an agent leaves what Istio gave it
	outputCerts  = "OUTPUT_CERTS=" + certificates
)

// TestGateways: gateways of one Service find each other through the mesh's mTLS, know what the others know, and follow the
// pods that come and go; no request fails for it.
func TestGateways(t *testing.T) {
	for _, c := range []struct {
		folder string
		style  style
	}{{"wasmplugin", classic}, {"envoyfilter", classic}, {"gateway-api", gatewayAPI}} {
		t.Run(c.folder, func(t *testing.T) {
			s := shared
			s.apply(t, s.shipped(t, c.style.folder, nil))
			eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
			s.apply(t, s.shipped(t, "gateways/"+c.folder, nil))
			s.apply(t, s.shipped(t, "gateways/without-log", func(doc object) {
				doc["metadata"].(object)["namespace"] = c.style.namespace
				doc["spec"].(object)["selector"] = object{"matchLabels": c.style.labels}
			}))
			start := func(ip string) *gateway { return s.startGateway(t, c.style.in(t, ip)) }
			a, b := start("10.9.1.1"), start("10.9.1.2")
			knowEachOther(t, a, b)
			at := tell(t, a, 100, b)
			b.knows(t, at, a)

			stop := inBackground(t, func(n int) reply { return a.ask(t, story(300+n%9), "Hello") })
			later := start("10.9.1.3")
			knowEachOther(t, a, b, later)
			later.knows(t, at, a) // from a snapshot

			if err := b.leave(); err != nil {
				t.Fatal(err)
			}
			b.agent.stop()
			knowEachOther(t, a, later)
			a.knows(t, tell(t, later, 200, a), later)

			again := start("10.9.1.4") // in its place, at another address
			knowEachOther(t, a, later, again)
			again.knows(t, at, a)
			stop()
			if log := a.agent.text(); strings.Contains(log, "GET /warmroute/news") || !strings.Contains(log, "POST /v1/chat/completions 200") {
				t.Error("the access log has the asks of other gateways, or has no requests at all")
			}
		})
	}
}

// TestGatewaysOfPools: pools share news, too. And sharing is turned on while gateways run: no request fails for it.
func TestGatewaysOfPools(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	eventually(t, "the StatefulSet's three pods have endpoints", func() bool { return s.podCount(t) == 3 })
	s.apply(t, s.shipped(t, "pools", nil))
	a := s.startGateway(t, classic.in(t, "10.9.1.1"))
	b := s.startGateway(t, classic.in(t, "10.9.1.2"))
	eventually(t, "requests are steered", func() bool { return a.steers(t) && b.steers(t) })
	stop := inBackground(t, func(n int) reply { return a.ask(t, story(300+n%9), "Hello") })
	s.apply(t, s.shipped(t, "gateways/pools", nil))
	knowEachOther(t, a, b)
	b.knows(t, tell(t, a, 100, b), a)
	stop()
}

// TestNewsAreForGateways: the listener answers nobody but the gateways, by the certificates that the mesh gives to its pods.
func TestNewsAreForGateways(t *testing.T) {
	s := shared
	s.apply(t, s.shipped(t, classic.folder, nil))
	s.apply(t, s.shipped(t, "gateways/wasmplugin", nil))
	one := classic.in(t, "10.9.1.1", outputCerts)
	a := s.startGateway(t, one)
	stranger := one.in(t, "10.9.1.2", outputCerts)
	stranger.service, stranger.labels = "stranger", object{"app": "stranger"}
	other := s.launch(t, stranger)
	outsider := one.in(t, "10.9.1.3", outputCerts)
	outsider.namespace, outsider.labels = "default", object{"app": "outsider"} // its service account has the gateway's name
	foreign := s.launch(t, outsider)

	const url = "10.9.1.1:9902/warmroute/news"
	for _, c := range []struct {
		name, url string
		tls       *tls.Config
		status    int // 0: no answer
		body      string
	}{
		{"a gateway", "https://" + url, a.certificate(t), http.StatusForbidden, ""}, // by the module: it asks nothing
		{"a gateway, of another path", "https://10.9.1.1:9902/v1/models", a.certificate(t), http.StatusNotFound, ""},
		{"another service account", "https://" + url, other.certificate(t), http.StatusForbidden, ""}, // by the module, too
		{"another namespace", "https://" + url, foreign.certificate(t), http.StatusForbidden, "RBAC: access denied"},
		{"no certificate", "https://" + url, &tls.Config{InsecureSkipVerify: true}, 0, ""},
		{"no TLS", "http://" + url, nil, 0, ""},
	} {
		eventually(t, fmt.Sprintf("%s is answered %d %q", c.name, c.status, c.body), func() bool {
			status, body := get(t, c.url, c.tls)
			return status == c.status && body == c.body
		})
	}
	for _, reason := range []string{"format", "identity"} { // of the gateway that asks nothing, and of the other service account
		eventually(t, "asks are refused for their "+reason, func() bool {
			return a.stat(t, "warmroute_peer_faults_total{", `reason="`+reason+`"`) > 0
		})
	}
	if r := a.send(t, http.MethodGet, "/warmroute/news", ""); r.status != http.StatusNotFound || r.replica == "" {
		t.Errorf("the path of the news where clients are: status %d of %q, want a replica's 404", r.status, r.replica)
	}
}

// knowEachOther waits until each of the gateways has news of all others, and of no more.
func knowEachOther(t *testing.T, gateways ...*gateway) {
	t.Helper()
	for _, g := range gateways {
		eventually(t, fmt.Sprintf("%s knows %d others", g.url, len(gateways)-1), func() bool {
			others := g.peers(t)
			return len(others) > 0 && slices.Min(others) == len(gateways)-1 && slices.Max(others) == len(gateways)-1
		})
	}
}

// peers is how many other gateways give news, for each pool.
func (g *gateway) peers(t *testing.T) (counts []int) {
	t.Helper()
	for line := range strings.Lines(g.admin(t, "/stats/prometheus?usedonly")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if name, _, _ = strings.Cut(name, "{"); name == "warmroute_peers" {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			counts = append(counts, n)
		}
	}
	return counts
}

// tell asks gateway g with new prompts, from story first on, and waits until the other one was told of as many. It returns the
// pods that answered.
func tell(t *testing.T, g *gateway, first int, other *gateway) map[int]string {
	t.Helper()
	for _, one := range []*gateway{g, other} {
		eventually(t, one.url+" steers", func() bool { return one.steers(t) })
	}
	before := other.told(t)
	at := map[int]string{}
	for n := first; n < first+12; n++ {
		r := g.ask(t, story(n), "Hello")
		if r.status != http.StatusOK || r.decision["matched"] != "0" {
			t.Errorf("story %d is new: status %d, %v", n, r.status, r.decision)
		}
		at[n] = r.replica
	}
	eventually(t, other.url+" is told", func() bool { return other.told(t) >= before+float64(len(at)) })
	return at
}

// told is how many requests of other gateways the gateway was told of.
func (g *gateway) told(t *testing.T) float64 { return g.stat(t, "warmroute_peer_entries_total") }

// knows asks g once for each story: most are at home; some move for their load. What g has answered itself would prove nothing.
func (g *gateway) knows(t *testing.T, at map[int]string, from *gateway) {
	t.Helper()
	eventually(t, g.url+" steers, and was told", func() bool { return g.steers(t) && g.told(t) >= float64(len(at)) })
	right := 0
	for n, home := range at {
		if r := g.ask(t, story(n), "And then?"); r.replica == home && r.decision["matched"] != "0" {
			right++
		} else {
			t.Logf("story %d: %s, at first %s: %v", n, r.replica, home, r.decision)
		}
	}
	t.Logf("%s sends %d of %d prompts to where %s has sent them", g.url, right, len(at), from.url)
	if right < len(at)*3/4 {
		t.Errorf("%s sends %d of %d prompts to where they are cached", g.url, right, len(at))
	}
}

// certificate waits for what the gateway's agent got from Istio.
func (g *gateway) certificate(t *testing.T) *tls.Config {
	t.Helper()
	dir := filepath.Join(filepath.Dir(g.agent.log), certificates)
	var pair tls.Certificate
	eventually(t, "the agent has a certificate", func() bool {
		var err error
		pair, err = tls.LoadX509KeyPair(dir+"/cert-chain.pem", dir+"/key.pem")
		return err == nil
	})
	return &tls.Config{Certificates: []tls.Certificate{pair}, InsecureSkipVerify: true} // what is tested is the listener
}

// get is the status and body of an answer; 0 if there is none.
func get(t *testing.T, url string, with *tls.Config) (int, string) {
	t.Helper()
	transport := &http.Transport{TLSClientConfig: with, DisableKeepAlives: true}
	response, err := (&http.Client{Transport: transport, Timeout: client.Timeout}).Get(url)
	if err != nil {
		return 0, ""
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, ""
	}
	return response.StatusCode, string(body)
}
