//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// dynamic is the resources of one type in a file that Envoy watches.
type dynamic struct{ dir, name string }

func (d dynamic) write(t *testing.T, resources ...any) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"resources": resources})
	if err == nil {
		err = os.WriteFile(filepath.Join(d.dir, "next."+d.name), text, 0o600)
	}
	if err == nil {
		err = os.Rename(filepath.Join(d.dir, "next."+d.name), filepath.Join(d.dir, d.name))
	}
	if err != nil {
		t.Fatal(err)
	}
}

func (d dynamic) source() map[string]any {
	return map[string]any{"resource_api_version": "V3", "path_config_source": map[string]any{
		"path": filepath.Join(d.dir, d.name), "watched_directory": map[string]any{"path": d.dir}}}
}

// A pool comes and goes by updates of the module's configuration (ECDS) and of the clusters (CDS), under load, without a
// failed request; what is known of the other pools stays.
func TestPoolsComeAndGo(t *testing.T) {
	dir := t.TempDir()
	filter, clusters := dynamic{dir, "filter.json"}, dynamic{dir, "clusters.json"}
	two := services[2:4]
	late := service{"late", "late-3b", nil, ""}
	lateFleet := fleetOf(t, late.model)
	var wasm, config, example map[string]any
	configure := func(list []service) {
		value := config["configuration"].(map[string]any)
		var doc map[string]any
		if err := json.Unmarshal([]byte(value["value"].(string)), &doc); err != nil {
			t.Fatal(err)
		}
		doc["pools"] = poolsOf(list)
		text, _ := json.Marshal(doc)
		value["value"] = string(text)
		filter.write(t, map[string]any{"@type": "type.googleapis.com/envoy.config.core.v3.TypedExtensionConfig", "name": "warmroute", "typed_config": wasm})
	}
	s, _ := front(t, two, func(doc any) {
		list := gateway.Find(doc, "clusters")[0]["clusters"].([]any)
		example = list[1].(map[string]any)
		clusters.write(t)
		doc.(map[string]any)["dynamic_resources"] = map[string]any{"cds_config": clusters.source()}
		manager := gateway.Find(doc, "http_filters")[0]
		first := manager["http_filters"].([]any)[0].(map[string]any)
		wasm = first["typed_config"].(map[string]any)
		config = wasm["config"].(map[string]any)
		configure(two)
		manager["http_filters"].([]any)[0] = map[string]any{"name": "warmroute", "config_discovery": map[string]any{
			"config_source": filter.source(), "type_urls": []string{wasm["@type"].(string)}}}
	})
	s.ready(t, two)

	var load sync.WaitGroup
	stop := make(chan struct{})
	var failed []string
	var mu sync.Mutex
	sent := 0
	for worker := range 4 {
		load.Go(func() {
			for n := 0; ; n++ {
				select {
				case <-stop:
					return
				default:
				}
				to := two[(worker+n)%2]
				r := s.talk(t, to, to.model, n%8, n/8%4)
				mu.Lock()
				if sent++; r.status != 200 {
					failed = append(failed, fmt.Sprintf("%s: status %d %s", to.model, r.status, r.body))
				}
				mu.Unlock()
			}
		})
	}
	time.Sleep(time.Second)
	clusters.write(t, func() any {
		c := clusterOf(example, late.cluster, lateFleet)
		c["@type"] = "type.googleapis.com/envoy.config.cluster.v3.Cluster"
		return c
	}())
	configure(append(slices.Clone(two), late))
	eventually(t, "the late pool is steered", func() bool { return s.talk(t, late, late.model, 1, 0).decision["pool"] == late.cluster })
	for c := range 6 {
		if r := s.talk(t, late, late.model, c, 1); r.status != 200 || r.decision["pool"] != late.cluster {
			t.Errorf("the late pool: status %d, %v", r.status, r.decision)
		}
	}
	configure(two)
	eventually(t, "the late pool is gone", func() bool { return s.talk(t, late, late.model, 1, 0).decision["pool"] == "" })
	clusters.write(t)
	time.Sleep(time.Second)
	close(stop)
	load.Wait()
	if len(failed) > 0 {
		t.Errorf("%d of %d requests failed: %v", len(failed), sent, failed[:min(len(failed), 5)])
	}
	t.Logf("%d requests, %d failed", sent, len(failed))
	for _, to := range two { // what the caches hold is still known, from the workers' logs
		if r := s.talk(t, to, to.model, 0, 3); r.decision["matched"] == "0" || r.decision["matched"] == "" {
			t.Errorf("%s: after two updates nothing is known of its caches: %v", to.cluster, r.decision)
		}
	}
}

// Stock Envoy switches the filter off for a route, as docs/pools.md says.
func TestFilterOffForARoute(t *testing.T) {
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Edit = func(doc any) {
			host := gateway.Find(doc, "routes")[0]
			plain := lastRoute(host)
			off := maps.Clone(plain)
			off["match"] = map[string]any{"path": "/v1/completions"}
			off["typed_per_filter_config"] = map[string]any{"warmroute": map[string]any{
				"@type": "type.googleapis.com/envoy.config.route.v3.FilterConfig", "disabled": true}}
			host["routes"] = []any{off, plain}
		}
	})
	if r := s.post(t, "/v1/completions", `{"prompt":"Once","max_tokens":2}`); r.status != 200 || len(r.decision) > 0 {
		t.Errorf("where it is off: status %d, decision %v", r.status, r.decision)
	}
	if r := s.post(t, "/v1/chat/completions", chat("S", "U", nil)); r.status != 200 || r.decision["endpoint"] == "" {
		t.Errorf("elsewhere: status %d, decision %v", r.status, r.decision)
	}
}

// By default internal requests alone name their policy, and Envoy takes none for internal until it is told their addresses.
func TestPolicyOfInternalRequests(t *testing.T) {
	for internal, want := range map[bool]string{false: "prefix_hash", true: "round_robin"} {
		s := launch(t, "endpoint", func(o *gateway.Options) {
			o.Plugin = map[string]any{"policy": "prefix_hash", "policy_header": "x-warmroute-policy"}
			if internal {
				o.Edit = func(doc any) {
					gateway.Find(doc, "http_filters")[0]["internal_address_config"] = map[string]any{"cidr_ranges": []any{map[string]any{"address_prefix": "127.0.0.0", "prefix_len": 8}}}
				}
			}
		})
		if r := s.post(t, "/v1/chat/completions", chat("S", "U", nil), "x-warmroute-policy", "round_robin"); r.decision["policy"] != want {
			t.Errorf("internal %v: status %d, policy %q, want %q", internal, r.status, r.decision["policy"], want)
		}
	}
}

// A filter in front names another policy for a route, or none; what clients write there does not count.
func TestPolicyOfARoute(t *testing.T) {
	s := launch(t, "endpoint", func(o *gateway.Options) {
		o.Plugin = map[string]any{"policy": "prefix_hash", "policy_header": "x-warmroute-policy", "policy_header_from": "any"}
		o.Edit = func(doc any) {
			host := gateway.Find(doc, "routes")[0]
			plain := lastRoute(host)
			routes := []any{}
			set := func(policy string) map[string]any {
				return map[string]any{"envoy.filters.http.header_mutation": map[string]any{
					"@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute",
					"mutations": map[string]any{"request_mutations": []any{map[string]any{
						"append": map[string]any{"header": map[string]any{"key": "x-warmroute-policy", "value": policy}, "append_action": "OVERWRITE_IF_EXISTS_OR_ADD"}}}}}}
			}
			for path, policy := range map[string]string{"/v1/completions": "round_robin", "/v1/responses": "off"} {
				r := maps.Clone(plain)
				r["match"], r["typed_per_filter_config"] = map[string]any{"path": path}, set(policy)
				routes = append(routes, r)
			}
			host["routes"] = append(routes, plain)
			manager := gateway.Find(doc, "http_filters")[0]
			manager["http_filters"] = append([]any{map[string]any{"name": "envoy.filters.http.header_mutation", "typed_config": map[string]any{
				"@type": "type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation"}}}, manager["http_filters"].([]any)...)
			for _, early := range gateway.Find(doc, "mutations") {
				if list, ok := early["mutations"].([]any); ok {
					early["mutations"] = append(list, map[string]any{"remove": "x-warmroute-policy"})
				}
			}
		}
	})
	for _, c := range []struct{ path, body, want string }{
		{"/v1/completions", `{"prompt":"Once","max_tokens":2}`, "round_robin"},
		{"/v1/chat/completions", chat("S", "U", nil), "prefix_hash"},
		{"/v1/responses", `{"input":"Once","max_output_tokens":2}`, ""},
	} {
		r := s.post(t, c.path, c.body, "x-warmroute-policy", "random")
		if r.decision["policy"] != c.want {
			t.Errorf("%s: status %d, policy %q, want %q", c.path, r.status, r.decision["policy"], c.want)
		}
	}
}
