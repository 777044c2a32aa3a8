package load

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

const clustersDir = "../../testdata/clusters"

func readClusters(page []byte, cluster string, step int, old []Discovered) ([]Discovered, error) {
	var r ClusterReader
	r.Reset(cluster)
	for len(page) > 0 {
		n := min(step, len(page))
		r.Write(page[:n])
		page = page[n:]
	}
	return r.Close(old)
}

func showList(list []Discovered, err error) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s weight %d priority %d active %d", d.Address, d.Weight, d.Priority, d.Active)
		if !d.Healthy {
			b.WriteString(" unhealthy")
		}
		if d.Draining {
			b.WriteString(" draining")
		}
		b.WriteByte('\n')
	}
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

// The pages are Envoy 1.40's, for configurations of our own.
func TestClustersGolden(t *testing.T) {
	for name, page := range readPages(t, clustersDir, "*.json") {
		var b strings.Builder
		for _, cluster := range []string{"vllm", "plain", "empty", "missing", "outbound|8000||vllm.default.svc.cluster.local",
			"outbound|8000|v1|vllm.default.svc.cluster.local", "outbound|8000||ther.default.svc.cluster.local"} {
			fmt.Fprintf(&b, "%s:\n%s", cluster, showList(readClusters(page, cluster, len(page), nil)))
		}
		golden(t, filepath.Join(clustersDir, strings.TrimSuffix(name, ".json")+".golden"), b.String())
	}
}

func TestClustersAnyPieces(t *testing.T) {
	for name, page := range readPages(t, clustersDir, "*.json") {
		for _, cluster := range []string{"vllm", "outbound|8000||vllm.default.svc.cluster.local"} {
			want := showList(readClusters(page, cluster, len(page), nil))
			for _, step := range []int{1, 2, 3, 17, 1000} {
				if got := showList(readClusters(page, cluster, step, nil)); got != want {
					t.Errorf("%s in pieces of %d: got\n%s\nwant\n%s", name, step, got, want)
				}
			}
		}
	}
}

func TestClustersCutAnywhere(t *testing.T) {
	old := []Discovered{{Address: "10.0.0.1:8000", Weight: 1, Healthy: true}}
	for name, page := range readPages(t, clustersDir, "*.json") {
		for at := range strings.TrimRight(string(page), "\n") {
			list, err := readClusters(page[:at], "vllm", 50, old)
			if err == nil || len(list) != 1 || list[0] != old[0] {
				t.Fatalf("%s cut at %d: got %v, %v; want the old list and an error", name, at, list, err)
			}
		}
	}
}

func page(hosts ...string) string {
	return `{"cluster_statuses":[{"name":"a","host_statuses":[{}]},{"name":"vllm","host_statuses":[` + strings.Join(hosts, ",") + `]}]}`
}

func hostJSON(ip string, port int, more string) string {
	return fmt.Sprintf(`{"address":{"socket_address":{"address":%q,"port_value":%d}}%s}`, ip, port, more)
}

func TestClustersHosts(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"no hosts", page(), ""},
		{"defaults", page(hostJSON("10.0.0.1", 80, "")), "10.0.0.1:80 weight 1 priority 0 active 0\n"},
		{"sorted", page(hostJSON("10.0.0.2", 80, ""), hostJSON("10.0.0.1", 80, "")), "10.0.0.1:80 weight 1 priority 0 active 0\n10.0.0.2:80 weight 1 priority 0 active 0\n"},
		{"one address twice", page(hostJSON("10.0.0.1", 80, `,"weight":3,"priority":1`), hostJSON("10.0.0.1", 80, `,"weight":2,"health_status":{"failed_outlier_check":true},"stats":[{"name":"rq_active","value":"4"}]`)),
			"10.0.0.1:80 weight 3 priority 0 active 4 unhealthy\n"},
		{"no port", page(hostJSON("10.0.0.1", 0, ""), hostJSON("10.0.0.1", 65536, "")), ""},
		{"pipe", page(`{"address":{"pipe":{"path":"@x"}},"weight":1}`), ""},
		{"escapes", page(`{"addr\u0065ss":{"socket\u005faddress":{"address":"10.0.\u0030.1","port_value":80}}}`), "10.0.0.1:80 weight 1 priority 0 active 0\n"},
		{"other types", page(`{"address":[1],"health_status":"x","weight":{"a":[{}]},"stats":{"name":"rq_active"}}`, `7`, `null`, `[]`), ""},
		{"name at the end", `{"cluster_statuses":[{"host_statuses":[` + hostJSON("10.0.0.1", 80, "") + `],"name":"vllm"},{"host_statuses":[` + hostJSON("10.0.0.2", 80, "") + `],"name":"b"}]}`,
			"10.0.0.1:80 weight 1 priority 0 active 0\n"},
		{"absurd numbers", page(hostJSON("10.0.0.1", 80, `,"weight":4294967295999,"priority":-1,"stats":[{"value":"99999999999","name":"rq_active"}]`)),
			"10.0.0.1:80 weight 1073741824 priority 0 active 1048576\n"},
		{"draining", page(hostJSON("10.0.0.1", 80, `,"health_status":{"pending_dynamic_removal":true}`), hostJSON("10.0.0.2", 80, `,"health_status":{"eds_health_status":"DRAINING","failed_active_health_check":false}`)),
			"10.0.0.1:80 weight 1 priority 0 active 0 draining\n10.0.0.2:80 weight 1 priority 0 active 0 draining\n"},
		{"no such cluster", `{"cluster_statuses":[]}`, "error: " + ErrNoCluster.Error() + "\n"},
		{"an empty object", `{}`, "error: " + ErrNoCluster.Error() + "\n"},
		{"nothing", ``, "error: " + ErrCutPage.Error() + "\n"},
		{"text", `upstream connect error`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"the text format", `vllm::observability_name::vllm`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"an array", `[]`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"more behind the end", `{} {}`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"a comma too many", `{"cluster_statuses":[{"name":"vllm"},]}`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"a wrong bracket", `{"cluster_statuses":[{"name":"vllm"]}`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"a broken number", `{"cluster_statuses":[{"name":"vllm","x":1.}]}`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"a broken escape", `{"cluster_statuses":[{"name":"vll\x6d"}]}`, "error: " + ErrBrokenPage.Error() + "\n"},
		{"a line feed in a string", "{\"cluster_statuses\":[{\"name\":\"vllm\n\"}]}", "error: " + ErrBrokenPage.Error() + "\n"},
	} {
		if got := showList(readClusters([]byte(c.page), "vllm", 9, nil)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
		if valid := json.Valid([]byte(c.page)); strings.Contains(c.want, ErrBrokenPage.Error()) && valid && c.page != "[]" {
			t.Errorf("%s: refused, but it is JSON", c.name)
		}
	}
}

func TestClustersBounds(t *testing.T) {
	hosts := make([]string, MaxDiscovered+1)
	for i := range hosts {
		hosts[i] = hostJSON("10.0.0.1", 1+i, "")
	}
	if _, err := readClusters([]byte(page(hosts...)), "vllm", 4096, nil); err != ErrManyHosts {
		t.Errorf("%d hosts: got %v, want %v", len(hosts), err, ErrManyHosts)
	}
	if list, err := readClusters([]byte(page(hosts[1:]...)), "vllm", 4096, nil); err != nil || len(list) != MaxDiscovered {
		t.Errorf("%d hosts: got %d, %v", MaxDiscovered, len(list), err)
	}
	if list, err := readClusters([]byte(page(hosts...)), "a", 4096, nil); err != nil || len(list) != 0 {
		t.Errorf("many hosts of another cluster: got %d, %v", len(list), err)
	}
	var r ClusterReader
	r.Reset("vllm")
	r.Write([]byte(page()))
	blank := []byte(strings.Repeat(" ", 1<<20))
	for range MaxClustersPage>>20 + 1 {
		r.Write(blank)
	}
	if _, err := r.Close(nil); err != ErrLongPage {
		t.Errorf("a page too long: got %v, want %v", err, ErrLongPage)
	}
}

// Polling the same set again and again costs no memory, and keeps the list: callers may compare its address.
func TestClustersAgainWithoutAllocation(t *testing.T) {
	text := readPages(t, clustersDir, "*.json")["envoy.json"]
	var r ClusterReader
	list, err := readClusters(text, "vllm", 100, nil)
	if err != nil {
		t.Fatal(err)
	}
	first := &list[0]
	poll := func() {
		r.Reset("vllm")
		r.Write(text)
		if list, err = r.Close(list); err != nil || &list[0] != first {
			t.Fatal("another list, or", err)
		}
	}
	poll()
	if n := testing.AllocsPerRun(20, poll); n != 0 {
		t.Errorf("%v allocations a page, want 0", n)
	}
}

func TestClustersMatch(t *testing.T) {
	for _, c := range []struct {
		wanted, name string
		want         bool
	}{
		{"vllm", "vllm", true},
		{"vllm", "vllm2", false},
		{"outbound|8000||a.b", "outbound|8000||a.b", true},
		{"outbound|8000||a.b", "outbound|8000|v1|a.b", true},
		{"outbound|8000||a.b", "outbound|8001|v1|a.b", false},
		{"outbound|8000||a.b", "outbound|8000||aa.b", false},
		{"outbound|8000||a.b", "outbound|8000|a.b", false},
		{"outbound|8000||a.b", "outbound|8000|v1|x|a.b", false},
		{"outbound|8000|v1|a.b", "outbound|8000||a.b", false},
		{"outbound|8000||", "outbound|8000|v1|", false},
	} {
		var r ClusterReader
		if r.Reset(c.wanted); r.matches([]byte(c.name)) != c.want {
			t.Errorf("%s for %s: got %v, want %v", c.name, c.wanted, !c.want, c.want)
		}
	}
}
