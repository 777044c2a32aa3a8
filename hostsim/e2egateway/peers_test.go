//go:build e2egateway

package e2egateway

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"warmroute/hostsim/internal/gateway"
)

const (
	secret      = "a secret of many characters"
	peersSecret = "WARMROUTE_PEERS_SECRET=" + secret

	first, second = "10.9.1.1", "10.9.1.2" // the gateways' addresses
)

// shareNews turns sharing on, by an example, while the first gateway runs, adds a second one, and sees what each knows of the other's
// requests.
func shareNews(t *testing.T, example, dir, url, logFile string) {
	applyOnHost(t, example)
	var endpoints []any
	for _, ip := range []string{first, second} {
		endpoints = append(endpoints, object{"addresses": []any{ip}, "conditions": object{"ready": true}})
	}
	apply(t, object{"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice",
		"metadata":    object{"name": "warmroute-peers-1", "namespace": "envoy-gateway-system", "labels": object{"kubernetes.io/service-name": "warmroute-peers"}},
		"addressType": "IPv4", "ports": []any{object{"name": "news", "port": 9902, "protocol": "TCP"}}, "endpoints": endpoints})
	startSecond(t, dir)
	ours, theirs := "http://"+first+":19900", "http://"+second+":19900"
	otherURL := strings.Replace(url, "127.0.0.1", second, 1)
	eventually(t, "the gateways know each other", func() bool {
		return stat(t, ours, "warmroute_peers") == 1 && stat(t, theirs, "warmroute_peers") == 1
	})
	accepted(t, example)

	const prompts = 12
	homes, told := map[string]string{}, stat(t, theirs, "warmroute_peer_entries_total")
	for n := range prompts {
		story := fmt.Sprint("Tale ", n)
		r, err := ask(url, story, "And then?")
		if err != nil || r.status != 200 {
			t.Fatalf("%+v, %v", r, err)
		}
		homes[story] = r.replica
	}
	eventually(t, "the second gateway is told", func() bool { return stat(t, theirs, "warmroute_peer_entries_total") >= told+prompts })
	right := 0
	for story, home := range homes {
		if r, err := ask(otherURL, story, "What did it say?"); err == nil && r.status == 200 && r.replica == home && strings.Contains(r.decision, "reason=match") {
			right++
		} else {
			t.Logf("%s began at %s; %+v, %v", story, home, r, err)
		}
	}
	t.Logf("the second gateway sent %d of %d prompts to where they are cached", right, prompts)
	if right < prompts*3/4 { // some may move because of load
		t.Errorf("%d of %d prompts went to where they are cached", right, prompts)
	}
	for _, c := range []struct {
		url, ask string
		want     int
	}{
		{"http://" + first + ":9902/warmroute/news", strings.Repeat("00", 40), 403}, // no code under the secret
		{"http://" + first + ":9902/warmroute/news", "", 404},                       // no ask
		{"http://" + first + ":9902/warmroute/gateways", "", 404},                   // the cluster's: no way on
		{"http://" + first + ":9902/v1/models", "", 404},
		{url + "/warmroute/news", strings.Repeat("00", 40), 404}, // where clients are: a replica's
	} {
		req, err := http.NewRequest(http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if c.ask != "" {
			req.Header.Set("x-warmroute-news", c.ask)
		}
		response, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("GET %s with the ask %q: %d, want %d", c.url, c.ask, response.StatusCode, c.want)
		}
	}
	for _, admin := range []string{ours, theirs} {
		if dump := get(t, admin+"/config_dump"); strings.Contains(dump, secret) || !strings.Contains(dump, "WARMROUTE_PEERS_SECRET") {
			t.Error("the configuration that Envoy shows has the secret, or not its name")
		}
	}
	get(t, url+"/v1/models") // logged after many asks, and not before
	eventually(t, "requests are in the access log", func() bool { return strings.Contains(string(read(t, logFile)), "GET /v1/models 200") })
	if strings.Contains(string(read(t, logFile)), "GET /warmroute/news 200") {
		t.Error("the access log has the asks of other gateways")
	}
}

// startSecond starts another Envoy of the same Gateway, with the arguments of the first, in a network of its own.
func startSecond(t *testing.T, dir string) {
	argv := within(t, "second", second)
	for i, arg := range commandOfEnvoy(t) {
		switch {
		case i == 0:
			arg = os.Getenv("ENVOY")
		case strings.Contains(arg, "xds_cluster"):
			arg = fromOutside(t, arg)
		}
		argv = append(argv, arg)
	}
	run(t, dir, []string{peersSecret}, append(argv, "--base-id", "1")...)
}

// fromOutside is a bootstrap with the address at which another network sees the control plane.
func fromOutside(t *testing.T, bootstrap string) string {
	t.Helper()
	var doc object
	if err := yaml.Unmarshal([]byte(bootstrap), &doc); err != nil {
		t.Fatal(err)
	}
	for _, item := range doc["static_resources"].(object)["clusters"].([]any) {
		if cluster := item.(object); cluster["name"] == "xds_cluster" {
			for _, socket := range gateway.Find(any(cluster), "port_value") {
				socket["address"] = first
			}
		}
	}
	text, err := yaml.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// commandOfEnvoy is how Envoy Gateway started its Envoy.
func commandOfEnvoy(t *testing.T) []string {
	t.Helper()
	want, err := filepath.EvalSymlinks(os.Getenv("ENVOY"))
	if err != nil {
		t.Fatal(err)
	}
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range links {
		if program, err := os.Readlink(link); err == nil && program == want {
			line := read(t, filepath.Join(filepath.Dir(link), "cmdline"))
			return strings.Split(string(bytes.TrimSuffix(line, []byte{0})), "\x00")
		}
	}
	t.Fatal("Envoy Gateway's Envoy does not run")
	return nil
}

// stat is the sum of a metric over its labels.
func stat(t *testing.T, admin, name string) (sum float64) {
	t.Helper()
	response, err := http.Get(admin + "/stats/prometheus?usedonly")
	if err != nil {
		return 0 // it does not run yet
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		series, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if series, _, _ = strings.Cut(series, "{"); series == name {
			n, err := strconv.ParseFloat(value, 64)
			if err != nil {
				t.Fatal(err)
			}
			sum += n
		}
	}
	return sum
}
