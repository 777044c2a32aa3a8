//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"warmroute/hostsim/internal/gateway"
)

// Where a proxy gives each filter a VM of its own, the filter that routes answers the other gateways, too: it is in both listeners,
// with the same configuration, and answers asks in that for news only.
func TestGatewaysOfOneFilter(t *testing.T) {
	t.Parallel()
	ports := []int{freePort(t), freePort(t)}
	var stacks []*stack
	f := pool(t)
	for i := range ports {
		opt := options("gateways", f, map[string]any{"policy": "cache_aware"})
		opt.Concurrency, opt.Env = 2, []string{peersSecret}
		opt.Edit = func(doc any) { oneFilter(t, doc, ports, i) }
		g, err := gateway.Start(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(g.Close)
		stacks = append(stacks, &stack{Gateway: g, fleet: f})
	}
	for _, s := range stacks {
		eventually(t, "the gateways know each other", func() bool { return s.stat(t, "warmroute_peers") == 1 })
	}
	const prompts = 8
	homes := map[int]string{}
	for n := range prompts {
		homes[n] = stacks[0].post(t, "/v1/chat/completions", chat(story(n), "go on", nil)).replica
	}
	eventually(t, "the other gateway is told", func() bool { return stacks[1].stat(t, "warmroute_peer_entries_total") >= prompts })
	right := 0
	for n := range prompts {
		if r := stacks[1].post(t, "/v1/chat/completions", chat(story(n), "and then?", nil)); r.status == 200 && r.replica == homes[n] {
			right++
		}
	}
	if right < prompts*3/4 { // some move because of load
		t.Errorf("%d of %d prompts went to where they are cached", right, prompts)
	}
	for _, c := range []struct {
		url, ask string
		want     int
	}{
		{fmt.Sprintf("http://127.0.0.1:%d/warmroute/news", ports[0]), strings.Repeat("00", 40), 403}, // no code under the secret
		{fmt.Sprintf("http://127.0.0.1:%d/warmroute/news", ports[0]), "", 404},                       // no ask: no route
		{stacks[0].URL + "/warmroute/news", strings.Repeat("00", 40), 404},                           // where clients are: a replica's
	} {
		req, err := http.NewRequest(http.MethodGet, c.url, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("x-warmroute-news", c.ask)
		response, err := client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != c.want {
			t.Errorf("GET %s with the ask %q: %d, want %d", c.url, c.ask, response.StatusCode, c.want)
		}
	}
}

// oneFilter puts the filter that routes into the listener for news, in place of that of the role peers.
func oneFilter(t *testing.T, doc any, ports []int, i int) {
	filters := gateway.Find(doc, "configuration")
	routes := filters[0]["configuration"].(map[string]any)
	var config map[string]any
	if err := json.Unmarshal([]byte(routes["value"].(string)), &config); err != nil {
		t.Fatal(err)
	}
	config["peers"].(map[string]any)["listener_port"] = ports[i]
	text, err := json.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}
	for _, filter := range filters {
		filter["configuration"].(map[string]any)["value"] = string(text)
		filter["name"] = "warmroute"
	}
	for _, socket := range gateway.Find(doc, "port_value") {
		switch socket["port_value"] {
		case 9902.0:
			socket["port_value"] = ports[i]
		case 9912.0:
			socket["port_value"] = ports[1-i]
		}
	}
}
