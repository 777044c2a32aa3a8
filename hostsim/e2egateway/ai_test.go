//go:build e2egateway

package e2egateway

import (
	"fmt"
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

func TestEnvoyAIGateway(t *testing.T) {
	dir, err := os.MkdirTemp("", "warmroute-ai-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	kubeconfig := startKubernetes(t, dir)
	fail := serve(t, "vllm", model, "10.244.0.2", "10.244.0.3", "10.244.0.4")
	startRegistry(t, dir)
	makeCertificates(t, dir, kubeconfig)
	startAIController(t, dir, kubeconfig)
	applyOnHost(t, ai)
	startExtProc(t, dir)
	logFile := startGateway(t, dir, kubeconfig, aiHooks)
	url := steers(t)

	t.Run("accepted", func(t *testing.T) { accepted(t, ai) })
	t.Run("filters", func(t *testing.T) { // theirs reads the body before ours
		var names []string
		for _, match := range regexp.MustCompile(`"name": "(envoy\.filters\.http\.[^"]+)"`).FindAllStringSubmatch(get(t, adminURL+"/config_dump?resource=dynamic_listeners"), -1) {
			names = append(names, match[1])
		}
		first := func(beginning string) int {
			return slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, beginning) })
		}
		if theirs, ours := first("envoy.filters.http.ext_proc/aigateway"), first("envoy.filters.http.wasm"); theirs < 0 || ours < theirs {
			t.Errorf("filters %v, want ext_proc/aigateway and then the module", names)
		}
	})
	t.Run("a prefix stays", func(t *testing.T) { prefixStays(t, url) })
	t.Run("nobody steers himself", func(t *testing.T) {
		nobodySteers(t, url, "x-warmroute-endpoint")
		nobodySteers(t, url, "x-gateway-destination-endpoint") // with which Envoy AI Gateway answers 500
	})
	t.Run("metrics are read", func(t *testing.T) {
		eventually(t, "the pods' metrics are read", func() bool { return stat(t, adminURL, "warmroute_last_scrape_timestamp_seconds") > 0 })
		if errors := stat(t, adminURL, "warmroute_scrape_errors_total"); errors > 0 {
			t.Errorf("%v readings failed", errors)
		}
		if response, err := http.Get(url + "/warmroute/replicas"); err != nil || response.StatusCode != 404 {
			t.Errorf("a client that asks for the route of the metrics gets %+v, %v", response, err)
		}
	})
	t.Run("doctor", sound)
	t.Run("Anthropic's API", func(t *testing.T) { // translated behind the module
		home, decision := "", ""
		for i := range 4 {
			r := post(t, url+"/anthropic/v1/messages", fmt.Sprintf(`{"model":%q,"max_tokens":4,"system":%q,"messages":[{"role":"user","content":"And then?"}]}`,
				model, strings.Repeat("The moon rose over the hill, and the owl told what it had seen. ", 60)))
			if r.status != 200 || !strings.Contains(r.text, `"type":"message"`) || i > 0 && (r.replica != home || !strings.Contains(r.decision, "reason=match")) {
				t.Errorf("request %d, of a prompt that is at %s: %+v", i, home, r)
			}
			home, decision = r.replica, r.decision
		}
		eventually(t, "its cached tokens are in the access log", func() bool {
			key := regexp.MustCompile(`key=[0-9a-f]+`).FindString(decision)
			return key != "" && regexp.MustCompile(key+`;.*;prompt_tokens=[1-9].*;cached_tokens=[1-9]`).Match(read(t, logFile))
		})
	})
	t.Run("streams", func(t *testing.T) {
		r := post(t, url+"/v1/chat/completions", fmt.Sprintf(`{"model":%q,"stream":true,"max_tokens":4,"messages":[{"role":"user","content":%q}]}`, model, strings.Repeat("A long tale. ", 200)))
		if r.status != 200 || !strings.HasSuffix(strings.TrimSpace(r.text), "data: [DONE]") || r.decision == "" {
			t.Errorf("%+v", r)
		}
	})
	t.Run("a model that is not there", func(t *testing.T) {
		if r := post(t, url+"/v1/chat/completions", `{"model":"none","messages":[{"role":"user","content":"Hello"}]}`); r.status != 404 {
			t.Errorf("%+v, want Envoy AI Gateway's 404", r)
		}
	})
	t.Run("large bodies", func(t *testing.T) {
		r := post(t, url+"/v1/completions", fmt.Sprintf(`{"model":%q,"prompt":%q,"max_tokens":1,"user":%q}`, model, strings.Repeat("A long tale, told once more. ", 10_000), strings.Repeat("x", 12<<20)))
		if r.status != 200 || r.decision == "" {
			t.Errorf("12 MiB: %d, decision %q", r.status, r.decision)
		}
	})
	t.Run("several gateways", func(t *testing.T) { shareNews(t, aiPeers, dir, url, logFile) })
	t.Run("another model", func(t *testing.T) { anotherModel(t, dir, url) })
	t.Run("a pod dies", func(t *testing.T) { // Envoy takes the next address, and translates for it anew
		home, err := ask(url, "Ends", "And then?")
		if err != nil || home.status != 200 {
			t.Fatalf("%+v, %v", home, err)
		}
		endpoint := regexp.MustCompile(`endpoint=([0-9.]+):`).FindStringSubmatch(home.decision)
		fail(endpoint[1])
		for range 12 {
			if r, err := ask(url, "Ends", "And then?"); err != nil || r.status != 200 || r.replica == home.replica {
				t.Errorf("%+v, %v", r, err)
			}
		}
	})
}

// anotherModel adds a model as the README says: a rule of the AIGatewayRoute, a pool of the module's configuration, and a Service
// in the route of the metrics.
func anotherModel(t *testing.T, dir, url string) {
	serve(t, "small", "small", "10.244.0.5", "10.244.0.6")
	if r, err := ask(url, "Story 0", "And then?"); err != nil || r.status != 200 { // under the key that prompts are hashed with since the gateways share news
		t.Fatalf("%+v, %v", r, err)
	}
	for _, doc := range example(t, aiPeers) { // the one that is in force
		spec, _ := doc["spec"].(object)
		switch name := meta(doc)["name"]; {
		case doc["kind"] == "AIGatewayRoute":
			spec["rules"] = append(spec["rules"].([]any), object{"matches": []any{object{"headers": []any{object{"type": "Exact", "name": "x-ai-eg-model", "value": "small"}}}},
				"backendRefs": []any{object{"name": "small"}}, "timeouts": object{"request": "0s"}})
		case doc["kind"] == "EnvoyExtensionPolicy":
			onHost(doc)
			config := spec["wasm"].([]any)[0].(object)["config"].(object)
			config["pools"] = append(config["pools"].([]any), object{"name": "small", "match": object{"models": []any{"small"}}, "discovery": object{"cluster": "httproute/default/vllm/rule/1"}})
		case doc["kind"] == "HTTPRoute" && name == "warmroute-metrics":
			rule := spec["rules"].([]any)[0].(object)
			rule["backendRefs"] = append(rule["backendRefs"].([]any), object{"name": "small", "port": 8000})
		case doc["kind"] == "AIServiceBackend":
			meta(doc)["name"], spec["backendRef"].(object)["name"] = "small", "small"
		case doc["kind"] == "Backend":
			meta(doc)["name"] = "small"
			spec["endpoints"].([]any)[0].(object)["fqdn"].(object)["hostname"] = "small.default.svc.cluster.local"
		default:
			continue
		}
		apply(t, doc)
	}
	eventually(t, "the other model is steered", func() bool {
		mountConfig(t, dir)
		r := post(t, url+"/v1/chat/completions", `{"model":"small","max_tokens":1,"messages":[{"role":"user","content":"Hello"}]}`)
		return r.status == 200 && r.decision != ""
	})
	for n := range 4 {
		home := ""
		for i := range 3 {
			r := post(t, url+"/v1/chat/completions", fmt.Sprintf(`{"model":"small","max_tokens":1,"messages":[{"role":"user","content":%q}]}`, strings.Repeat(fmt.Sprint("Tale ", n, ", once more. "), 200)))
			if r.status != 200 || !regexp.MustCompile(`endpoint=10\.244\.0\.[56]:`).MatchString(r.decision) || i > 0 && (r.replica != home || !strings.Contains(r.decision, "reason=match")) {
				t.Errorf("tale %d is at %s: %+v", n, home, r)
			}
			home = r.replica
		}
	}
	if r, err := ask(url, "Story 0", "And then?"); err != nil || r.status != 200 || !strings.Contains(r.decision, "reason=match") {
		t.Errorf("the first model: %+v, %v", r, err)
	}
}
