package clusters

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"warmroute/testdata/golden"
)

// dir has pages of Envoy 1.40, for configurations of our own.
const dir = "../../testdata/clusters"

func readHosts(page []byte, cluster string, step int, old []Host) ([]Host, error) {
	var r Reader
	r.Reset(cluster)
	for len(page) > 0 {
		n := min(step, len(page))
		r.Write(page[:n])
		page = page[n:]
	}
	return r.Close(old)
}

func showList(list []Host, err error) string {
	var b strings.Builder
	for _, d := range list {
		fmt.Fprintf(&b, "%s weight %d priority %d", Name(d.Listener, d.Address), d.Weight, d.Priority)
		if !d.Healthy {
			b.WriteString(" unhealthy")
		}
		if d.Draining {
			b.WriteString(" draining")
		}
		if d.Zone != "" {
			b.WriteString(" in " + d.Zone)
		}
		b.WriteByte('\n')
	}
	if err != nil {
		fmt.Fprintf(&b, "error: %v\n", err)
	}
	return b.String()
}

func TestGolden(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.json") {
		var b strings.Builder
		for _, cluster := range []string{"vllm", "plain", "empty", "missing", "outbound|8000||vllm.default.svc.cluster.local",
			"outbound|8000|v1|vllm.default.svc.cluster.local", "outbound|8000||ther.default.svc.cluster.local"} {
			fmt.Fprintf(&b, "%s:\n%s", cluster, showList(readHosts(page, cluster, len(page), nil)))
		}
		path := filepath.Join(dir, strings.TrimSuffix(name, ".json")+".golden")
		golden.Compare(t, path, b.String())
	}
}

func TestAnyPieces(t *testing.T) {
	for name, page := range golden.Pages(t, dir+"/*.json") {
		for _, cluster := range []string{"vllm", "outbound|8000||vllm.default.svc.cluster.local"} {
			want := showList(readHosts(page, cluster, len(page), nil))
			for _, step := range []int{1, 2, 3, 17, 1000} {
				if got := showList(readHosts(page, cluster, step, nil)); got != want {
					t.Errorf("%s in pieces of %d: got\n%s\nwant\n%s", name, step, got, want)
				}
			}
		}
	}
}

func TestCutAnywhere(t *testing.T) {
	old := []Host{{Address: "10.0.0.1:8000", Weight: 1, Healthy: true}}
	for name, page := range golden.Pages(t, dir+"/*.json") {
		for at := range strings.TrimRight(string(page), "\n") {
			list, err := readHosts(page[:at], "vllm", 50, old)
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

func tunnelJSON(listener, id string) string {
	return fmt.Sprintf(`{"address":{"envoy_internal_address":{"server_listener_name":%q,"endpoint_id":%q}}}`, listener, id)
}

func TestHosts(t *testing.T) {
	for _, c := range []struct{ name, page, want string }{
		{"no hosts", page(), ""},
		{"defaults", page(hostJSON("10.0.0.1", 80, "")), "10.0.0.1:80 weight 1 priority 0\n"},
		{"sorted", page(hostJSON("10.0.0.2", 80, ""), hostJSON("10.0.0.1", 80, "")), "10.0.0.1:80 weight 1 priority 0\n10.0.0.2:80 weight 1 priority 0\n"},
		{"one address twice", page(hostJSON("10.0.0.1", 80, `,"weight":3,"priority":1`), hostJSON("10.0.0.1", 80, `,"weight":2,"health_status":{"failed_outlier_check":true}`)),
			"10.0.0.1:80 weight 3 priority 0 unhealthy\n"},
		{"no port", page(hostJSON("10.0.0.1", 0, ""), hostJSON("10.0.0.1", 65536, "")), ""},
		{"tunnels", page(tunnelJSON("connect_originate", "10.0.0.2:80"), tunnelJSON("connect_originate", "[fd00::1]:80"), hostJSON("10.0.0.1", 80, "")),
			"10.0.0.1:80 weight 1 priority 0\nenvoy://connect_originate/10.0.0.2:80 weight 1 priority 0\nenvoy://connect_originate/[fd00::1]:80 weight 1 priority 0\n"},
		{"internal listeners that lead anywhere", page(tunnelJSON("main", ""), tunnelJSON("main", "inference"), tunnelJSON("main", "vllm:80"), tunnelJSON("main", "10.0.0.1:0"),
			tunnelJSON(strings.Repeat("l", 65), "10.0.0.1:80"), tunnelJSON("main", ":80"), tunnelJSON("main", "10.0.0.1:123456")), ""},
		{"pipe", page(`{"address":{"pipe":{"path":"@x"}},"weight":1}`), ""},
		{"escapes", page(`{"addr\u0065ss":{"socket\u005faddress":{"address":"10.0.\u0030.1","port_value":80}}}`), "10.0.0.1:80 weight 1 priority 0\n"},
		{"other types", page(`{"address":[1],"health_status":"x","weight":{"a":[{}]},"stats":{"name":"rq_active"}}`, `7`, `null`, `[]`), ""},
		{"name at the end", `{"cluster_statuses":[{"host_statuses":[` + hostJSON("10.0.0.1", 80, "") + `],"name":"vllm"},{"host_statuses":[` + hostJSON("10.0.0.2", 80, "") + `],"name":"b"}]}`,
			"10.0.0.1:80 weight 1 priority 0\n"},
		{"absurd numbers", page(hostJSON("10.0.0.1", 80, `,"weight":4294967295999,"priority":-1`)),
			"10.0.0.1:80 weight 1073741824 priority 0\n"},
		{"draining", page(hostJSON("10.0.0.1", 80, `,"health_status":{"pending_dynamic_removal":true}`), hostJSON("10.0.0.2", 80, `,"health_status":{"eds_health_status":"DRAINING","failed_active_health_check":false}`)),
			"10.0.0.1:80 weight 1 priority 0 draining\n10.0.0.2:80 weight 1 priority 0 draining\n"},
		{"degraded", page(hostJSON("10.0.0.1", 80, `,"health_status":{"failed_active_degraded_check":true},"priority":1`), hostJSON("10.0.0.2", 80, `,"health_status":{"eds_health_status":"DEGRADED"}`)),
			"10.0.0.1:80 weight 1 priority 1048577\n10.0.0.2:80 weight 1 priority 1048576\n"},
		{"no such cluster", `{"cluster_statuses":[]}`, "error: " + ErrNoCluster.Error() + "\n"},
		{"an empty object", `{}`, "error: " + ErrNoCluster.Error() + "\n"},
		{"nothing", ``, "error: " + ErrTruncated.Error() + "\n"},
		{"text", `upstream connect error`, "error: " + ErrSyntax.Error() + "\n"},
		{"the text format", `vllm::observability_name::vllm`, "error: " + ErrSyntax.Error() + "\n"},
		{"an array", `[]`, "error: " + ErrSyntax.Error() + "\n"},
		{"more behind the end", `{} {}`, "error: " + ErrSyntax.Error() + "\n"},
		{"a comma too many", `{"cluster_statuses":[{"name":"vllm"},]}`, "error: " + ErrSyntax.Error() + "\n"},
		{"a wrong bracket", `{"cluster_statuses":[{"name":"vllm"]}`, "error: " + ErrSyntax.Error() + "\n"},
		{"a broken number", `{"cluster_statuses":[{"name":"vllm","x":1.}]}`, "error: " + ErrSyntax.Error() + "\n"},
		{"a broken escape", `{"cluster_statuses":[{"name":"vll\x6d"}]}`, "error: " + ErrSyntax.Error() + "\n"},
		{"a line feed in a string", "{\"cluster_statuses\":[{\"name\":\"vllm\n\"}]}", "error: " + ErrSyntax.Error() + "\n"},
	} {
		if got := showList(readHosts([]byte(c.page), "vllm", 9, nil)); got != c.want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, got, c.want)
		}
		if valid := json.Valid([]byte(c.page)); strings.Contains(c.want, ErrSyntax.Error()) && valid && c.page != "[]" {
			t.Errorf("%s: refused, but it is JSON", c.name)
		}
	}
}

func TestBounds(t *testing.T) {
	hosts := make([]string, MaxHosts+1)
	for i := range hosts {
		hosts[i] = hostJSON("10.0.0.1", 1+i, "")
	}
	if _, err := readHosts([]byte(page(hosts...)), "vllm", 4096, nil); err != ErrTooManyHosts {
		t.Errorf("%d hosts: got %v, want %v", len(hosts), err, ErrTooManyHosts)
	}
	if list, err := readHosts([]byte(page(hosts[1:]...)), "vllm", 4096, nil); err != nil || len(list) != MaxHosts {
		t.Errorf("%d hosts: got %d, %v", MaxHosts, len(list), err)
	}
	if list, err := readHosts([]byte(page(hosts...)), "a", 4096, nil); err != nil || len(list) != 0 {
		t.Errorf("many hosts of another cluster: got %d, %v", len(list), err)
	}
	var r Reader
	r.Reset("vllm")
	r.Write([]byte(page()))
	blank := []byte(strings.Repeat(" ", 1<<20))
	for range MaxPage>>20 + 1 {
		r.Write(blank)
	}
	if _, err := r.Close(nil); err != ErrTooLong {
		t.Errorf("a page too long: got %v, want %v", err, ErrTooLong)
	}
}

// A service's hosts are listed once more for each of its subsets, and are no more for that.
func TestBoundsOfSubsets(t *testing.T) {
	const service = "outbound|8000||vllm.default.svc.cluster.local"
	hosts := make([]string, MaxHosts)
	for i := range hosts {
		hosts[i] = hostJSON("10.0.0.1", 1+i, "")
	}
	all := strings.Join(hosts, ",")
	for subsets, want := range map[int]error{1: nil, 3: nil, 7: nil, 8: ErrTooManyHosts} {
		text := `{"cluster_statuses":[{"name":"` + service + `","host_statuses":[` + all + `]}`
		for i := range subsets {
			text += `,{"name":"` + strings.Replace(service, "||", "|v"+strconv.Itoa(i)+"|", 1) + `","host_statuses":[` + all + `]}`
		}
		if list, err := readHosts([]byte(text+"]}"), service, 4096, nil); err != want || err == nil && len(list) != MaxHosts {
			t.Errorf("%d subsets: got %d, %v, want %d, %v", subsets, len(list), err, MaxHosts, want)
		}
	}
}

// Polling the same set again and again costs no memory, and keeps the list: callers may compare its address.
func TestAgainWithoutAllocation(t *testing.T) {
	text := golden.Pages(t, dir+"/*.json")["envoy.json"]
	var r Reader
	list, err := readHosts(text, "vllm", 100, nil)
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

func TestMatch(t *testing.T) {
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
		var r Reader
		if r.Reset(c.wanted); r.matches([]byte(c.name)) != c.want {
			t.Errorf("%s for %s: got %v, want %v", c.name, c.wanted, !c.want, c.want)
		}
	}
}
