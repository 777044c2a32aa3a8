package clusters

import (
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

// naiveHosts is an independent reading by encoding/json; ok is false where a page has what Envoy's never has (members
// twice, other types), on which readers may differ.
func naiveHosts(page []byte, cluster string) (list []Host, ok bool) {
	var tree struct {
		Clusters []struct {
			Name  string
			Hosts []struct {
				Address struct {
					Socket struct {
						Address string
						Port    int `json:"port_value"`
					} `json:"socket_address"`
					Internal struct {
						Listener string `json:"server_listener_name"`
						ID       string `json:"endpoint_id"`
					} `json:"envoy_internal_address"`
				}
				Health struct {
					EDS       string `json:"eds_health_status"`
					Check     bool   `json:"failed_active_health_check"`
					Outlier   bool   `json:"failed_outlier_check"`
					Pending   bool   `json:"pending_active_hc"`
					Immediate bool   `json:"excluded_via_immediate_hc_fail"`
					Timeout   bool   `json:"active_hc_timeout"`
					Removal   bool   `json:"pending_dynamic_removal"`
					Degraded  bool   `json:"failed_active_degraded_check"`
				} `json:"health_status"`
				Weight   int
				Priority int
				Locality struct{ Region, Zone string }
			} `json:"host_statuses"`
		} `json:"cluster_statuses"`
	}
	if json.Unmarshal(page, &tree) != nil {
		return nil, false
	}
	byAddress := map[string]Host{}
	seen := false
	for _, c := range tree.Clusters {
		if c.Name != cluster {
			continue
		}
		seen = true
		for _, h := range c.Hosts {
			address, through := "", h.Address.Internal
			if ip, port := h.Address.Socket.Address, h.Address.Socket.Port; ip != "" && len(ip) <= 64 && port > 0 && port < 65536 {
				address = net.JoinHostPort(ip, strconv.Itoa(port))
			}
			if _, err := netip.ParseAddrPort(through.ID); err == nil {
				address = through.ID
			}
			if address != "" {
				d := Host{Address: address, Listener: through.Listener, Cluster: c.Name, Weight: max(h.Weight, 1), Priority: h.Priority}
				g := h.Health
				d.Healthy = !(g.Check || g.Outlier || g.Pending || g.Immediate || g.Timeout || g.EDS == "UNHEALTHY" || g.EDS == "TIMEOUT")
				d.Draining = g.Removal || g.EDS == "DRAINING"
				if d.Zone = h.Locality.Zone; d.Zone == "" {
					d.Zone = h.Locality.Region
				}
				if g.Degraded || g.EDS == "DEGRADED" {
					d.Priority |= Degraded
				}
				if e, double := byAddress[d.Address]; double {
					d = Host{Address: d.Address, Listener: e.Listener, Cluster: c.Name, Weight: max(d.Weight, e.Weight), Priority: min(d.Priority, e.Priority),
						Healthy: d.Healthy && e.Healthy, Draining: d.Draining || e.Draining, Zone: e.Zone}
				}
				byAddress[d.Address] = d
			}
		}
	}
	for _, address := range slices.Sorted(maps.Keys(byAddress)) {
		list = append(list, byAddress[address])
	}
	return list, seen
}

func TestAgainstNaive(t *testing.T) {
	for name, text := range golden.Pages(t, dir+"/*.json") {
		for _, cluster := range []string{"vllm", "plain", "empty", "outbound|8000|v1|vllm.default.svc.cluster.local"} {
			want, ok := naiveHosts(text, cluster)
			got, err := readHosts(text, cluster, 99, nil)
			if ok != (err == nil) || !slices.Equal(got, want) {
				t.Errorf("%s, %s: got\n%s\nwant\n%s", name, cluster, showList(got, err), showList(want, nil))
			}
		}
	}
}

func FuzzClusters(f *testing.F) {
	for _, text := range golden.Pages(f, dir+"/*.json") {
		f.Add(text, uint16(50))
		var small any
		if json.Unmarshal(text, &small) != nil {
			f.Fatal("a seed is no JSON")
		}
		compact, _ := json.Marshal(small)
		f.Add(compact, uint16(3))
	}
	f.Add([]byte(page(hostJSON("::1", 80, `,"weight":2`), hostJSON("10.0.0.1", 81, `,"health_status":{"eds_health_status":"DRAINING"}`))), uint16(1))
	f.Fuzz(func(t *testing.T, text []byte, step uint16) {
		old := []Host{{Address: "10.0.0.1:1"}}
		got, err := readHosts(text, "vllm", 1+int(step), old)
		again, err2 := readHosts(text, "vllm", len(text)+1, old)
		if err != err2 || !slices.Equal(got, again) {
			t.Fatalf("in pieces of %d\n%s\nin one\n%s", 1+int(step), showList(got, err), showList(again, err2))
		}
		if err != nil {
			if len(got) != 1 || &got[0] != &old[0] || got[0] != (Host{Address: "10.0.0.1:1"}) {
				t.Fatalf("after %v: the old list is changed", err)
			}
			if err == ErrSyntax && json.Valid(text) && strings.HasPrefix(strings.TrimLeft(string(text), " \t\r\n"), "{") {
				t.Fatalf("JSON is refused")
			}
			return
		}
		for i, d := range got {
			if d.Weight < 1 || d.Priority < 0 || i > 0 && got[i-1].Address >= d.Address {
				t.Fatalf("a bad list:\n%s", showList(got, nil))
			}
		}
	})
}

// poolPage is what Envoy says of n clusters of m hosts, indented as it writes them.
func poolPage(n, m int) []byte {
	var b strings.Builder
	b.WriteString("{\n \"cluster_statuses\": [")
	for c := range n {
		fmt.Fprintf(&b, "\n  {\n   \"name\": \"cluster-%d\",\n   \"added_via_api\": true,\n   \"host_statuses\": [", c)
		for h := range m {
			fmt.Fprintf(&b, "\n    {\n     \"address\": {\n      \"socket_address\": {\n       \"address\": \"10.%d.%d.%d\",\n       \"port_value\": 8000\n      }\n     },\n     \"stats\": [", c/250, c%250, h)
			for i, s := range []string{"cx_connect_fail", "cx_total", "rq_error", "rq_success", "rq_timeout", "rq_total", "cx_active", "rq_active", "rq_pending_active"} {
				fmt.Fprintf(&b, "\n      {\n       \"type\": \"GAUGE\",\n       \"value\": \"%d\",\n       \"name\": %q\n      }%s", i, s, ","[i/8:])
			}
			fmt.Fprintf(&b, "\n     ],\n     \"health_status\": {\n      \"eds_health_status\": \"HEALTHY\"\n     },\n     \"weight\": 1,\n     \"locality\": {}\n    }%s", ","[(h+1)/m:])
		}
		fmt.Fprintf(&b, "\n   ]\n  }%s", ","[(c+1)/n:])
	}
	b.WriteString("\n ]\n}\n")
	return []byte(b.String())
}

func benchmarkClusters(b *testing.B, text []byte) {
	var r Reader
	var list []Host
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		r.Reset("cluster-0")
		for rest := text; len(rest) > 0; {
			n := min(64<<10, len(rest))
			r.Write(rest[:n])
			rest = rest[n:]
		}
		var err error
		if list, err = r.Close(list); err != nil || len(list) != 64 {
			b.Fatal(showList(list, err))
		}
	}
}

func BenchmarkClustersOurs(b *testing.B) { benchmarkClusters(b, poolPage(1, 64)) }
func BenchmarkClustersMany(b *testing.B) { benchmarkClusters(b, poolPage(100, 64)) }
