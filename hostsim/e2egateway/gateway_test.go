//go:build e2egateway

package e2egateway

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/doctor"
	"warmroute/hostsim/internal/finding"
)

const (
	base  = "envoy-gateway"
	peers = "envoy-gateway-peers"
)

// example is what `kubectl apply -k examples/NAME` applies.
func example(t *testing.T, name string) []object {
	t.Helper()
	out, err := exec.Command(os.Getenv("ISTIO_TOOLS")+"/bin/kustomize", "build", root+"examples/"+name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return documents(t, out)
}

// applyOnHost applies an example with what onHost changes.
func applyOnHost(t *testing.T, name string) {
	t.Helper()
	for _, doc := range example(t, name) {
		onHost(doc)
		apply(t, doc)
	}
}

// onHost changes what must be other where there is no cluster and no registry of one's own: the image's name, and of the
// EnvoyProxy the provider and the admin cluster, which Envoy Gateway's bootstrap has in Kubernetes alone. Decisions are shown,
// to see them.
func onHost(doc object) {
	spec, _ := doc["spec"].(object)
	switch doc["kind"] {
	case "EnvoyExtensionPolicy":
		for i, item := range spec["wasm"].([]any) {
			filter := item.(object)
			filter["code"].(object)["image"].(object)["url"] = image
			if i == 0 {
				filter["config"].(object)["response_header"] = "x-warmroute-decision"
			}
		}
	case "EnvoyProxy":
		spec["provider"] = object{"type": "Host", "host": object{"envoyVersion": "1.40.0"}}
		bootstrap := spec["bootstrap"].(object)
		bootstrap["jsonPatches"] = append(bootstrap["jsonPatches"].([]any),
			object{"op": "replace", "path": "/admin/address/socket_address/port_value", "value": 19900},
			object{"op": "replace", "path": "/admin/address/socket_address/address", "value": "0.0.0.0"}, // for that of the second gateway
			object{"op": "add", "path": "/static_resources/clusters/-", "value": object{"name": "prometheus_stats", "connect_timeout": "1s", "type": "STATIC",
				"load_assignment": object{"cluster_name": "prometheus_stats", "endpoints": []any{object{"lb_endpoints": []any{object{"endpoint": object{
					"address": object{"socket_address": object{"address": "127.0.0.1", "port_value": 19900}}}}}}}}}})
	}
}

func TestEnvoyGateway(t *testing.T) {
	dir, err := os.MkdirTemp("", "warmroute-gateway-") // t.TempDir makes paths too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	kubeconfig := startKubernetes(t, dir)
	startPods(t)
	startRegistry(t, dir)
	makeCertificates(t, dir, kubeconfig)
	for _, doc := range example(t, base) { // the rules in the definitions are run
		try(t, doc)
	}
	t.Run("in a cluster", func(t *testing.T) { deploys(t, dir, kubeconfig) })
	applyOnHost(t, base)
	logFile := startGateway(t, dir, kubeconfig, "")
	url := steers(t)

	t.Run("accepted", func(t *testing.T) { accepted(t, base) })
	t.Run("filters", func(t *testing.T) {
		names := map[string]bool{}
		for _, match := range regexp.MustCompile(`"name": "(envoy\.filters\.http\.[^"]+)"`).FindAllStringSubmatch(get(t, adminURL+"/config_dump?resource=dynamic_listeners"), -1) {
			names[match[1]] = true
		}
		modules := 0
		for name := range names {
			if strings.HasPrefix(name, "envoy.filters.http.wasm") {
				modules++
			}
			if strings.Contains(name, "lua") || strings.Contains(name, "buffer") {
				t.Errorf("there is a filter %s", name)
			}
		}
		if modules != 2 {
			t.Errorf("filters %v, want the module twice", names)
		}
	})
	t.Run("a prefix stays", func(t *testing.T) { prefixStays(t, url) })
	t.Run("nobody steers himself", func(t *testing.T) { nobodySteers(t, url, "x-gateway-destination-endpoint") })
	t.Run("doctor", sound)
	t.Run("large bodies stream", func(t *testing.T) {
		body := `{"prompt":"` + strings.Repeat("A long tale, told once more. ", 300_000/29) + `","max_tokens":1,"user":"` + strings.Repeat("x", 12<<20) + `"}`
		if r := post(t, url+"/v1/completions", body); r.status != 200 || r.decision == "" {
			t.Errorf("12 MiB: status %d, decision %q", r.status, r.decision)
		}
	})
	t.Run("several gateways", func(t *testing.T) { shareNews(t, peers, dir, url, logFile) })
	if text := string(read(t, logFile)); strings.Contains(text, "panic") {
		t.Error("Envoy Gateway panicked")
	}
}

// steers waits until the module steers, and returns where the gateway listens: at the listener's port, or at the one that stands for it.
func steers(t *testing.T) (url string) {
	t.Helper()
	began := time.Now()
	eventually(t, "the module steers", func() bool {
		for _, port := range []int{80, 10080} {
			url = fmt.Sprintf("http://127.0.0.1:%d", port)
			if r, err := ask(url, "Begin", "Hello"); err == nil && r.status == 200 && r.decision != "" {
				return true
			}
		}
		return false
	})
	t.Logf("steering %.1f s after the start of Envoy Gateway", time.Since(began).Seconds())
	return url
}

// prefixStays: each prompt goes where its beginning is, and all replicas are used.
func prefixStays(t *testing.T, url string) {
	used := map[string]bool{}
	for n := range 6 {
		first, err := ask(url, fmt.Sprint("Story ", n), "And then?")
		if err != nil || first.status != 200 {
			t.Fatalf("%+v, %v", first, err)
		}
		used[first.replica] = true
		for range 3 {
			r, err := ask(url, fmt.Sprint("Story ", n), "And then?")
			if err != nil || r.status != 200 || r.replica != first.replica || !strings.Contains(r.decision, "reason=match") {
				t.Errorf("story %d began at %s; %+v, %v", n, first.replica, r, err)
			}
		}
	}
	if len(used) != 3 {
		t.Errorf("six stories use %v, want all three replicas", used)
	}
}

// nobodySteers: a client's own header has no effect.
func nobodySteers(t *testing.T, url, header string) {
	for i := range 6 {
		forged := fmt.Sprintf("10.244.0.%d:8000", 2+i%3)
		r, err := ask(url, "Story 0", "And then?", header, forged)
		if err != nil || r.status != 200 || !strings.Contains(r.decision, "reason=match") {
			t.Errorf("%s: %+v, %v", header, r, err)
		}
	}
}

// sound: doctor finds nothing broken, and nothing weak but what a busy machine may miss.
func sound(t *testing.T) {
	all, err := doctor.Examine(t.Context(), doctor.Options{Admin: adminURL, Replicas: true, Timeout: time.Minute, Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range all {
		t.Logf("%-7s %s: %s", f.Level, f.Where, f.What)
		if f.Level == finding.Broken || f.Level == finding.Weak && strings.HasPrefix(f.Where, "filter") {
			t.Errorf("%+v", f)
		}
	}
}

// accepted: every resource is, by Envoy Gateway's own word.
func accepted(t *testing.T, name string) {
	t.Helper()
	for _, doc := range example(t, name) {
		kind := doc["kind"].(string)
		if !strings.Contains(doc["apiVersion"].(string), "gateway.") || kind == "EnvoyProxy" || kind == "ReferenceGrant" || kind == "HTTPRouteFilter" {
			continue // it has no status
		}
		now, err := call(http.MethodGet, collection(doc)+"/"+meta(doc)["name"].(string), nil)
		if err != nil {
			t.Fatal(err)
		}
		if status := fmt.Sprint(now["status"]); !strings.Contains(status, "type:Accepted") || strings.Contains(status, "status:False") && kind != "Gateway" {
			t.Errorf("%s: %s", kind, status)
		}
	}
}
