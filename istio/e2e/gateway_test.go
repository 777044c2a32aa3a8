//go:build e2eistio

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// gateway is a pod of pilot-agent with Envoy, as Istio deploys it, but for Envoy being the project's.
type gateway struct {
	agent *process
	pod   object
	url   string // of its port 80
}

const adminURL = "http://127.0.0.1:15000"

// style is how a gateway comes about: Istio's own Gateway, or that of the Kubernetes Gateway API.
type style struct {
	folder    string // of the vLLM example
	namespace string
	service   string // of the gateway
	labels    object
	ip        string
}

var (
	classic    = style{"vllm/classic", "istio-system", "istio-ingressgateway", object{"app": "istio-ingressgateway", "istio": "ingressgateway"}, "10.9.0.1"}
	gatewayAPI = style{"vllm/gateway-api", "default", "llm-istio", object{"gateway.networking.k8s.io/gateway-name": "llm"}, "10.9.0.2"}
)

// startGateway runs a gateway until the end of the test.
func (s *stack) startGateway(t *testing.T, how style) *gateway {
	t.Helper()
	dir, err := os.MkdirTemp(s.dir, "gateway-")
	if err != nil {
		t.Fatal(err)
	}
	labels := ""
	for name, value := range how.labels {
		labels += fmt.Sprintf("%s=%q\n", name, value)
	}
	// Strict about what istiod sends: an EnvoyFilter with a field that Envoy lacks must not pass unseen.
	envoy := "#!/bin/sh\nexec " + os.Getenv("ENVOY") + ` "$@" --reject-unknown-dynamic-fields` + "\n"
	for name, content := range map[string]string{"etc/istio/pod/labels": labels, "envoy": envoy} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	name := how.service + "-0"
	service := object{"apiVersion": "v1", "kind": "Service", "metadata": object{"namespace": how.namespace, "name": how.service, "labels": how.labels},
		"spec": object{"selector": how.labels, "ports": []any{object{"name": "http", "port": 80, "targetPort": 80}}}}
	if err := s.kube.apply(service); err != nil {
		t.Fatal(err)
	}
	g := &gateway{url: "http://" + how.ip + ":80"}
	if g.pod, err = addPod(s.kube, how.namespace, name, how.ip, how.labels); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		for _, o := range []object{g.pod, service} {
			if err := s.kube.remove(o); err != nil {
				t.Error(err)
			}
		}
	})
	proxyConfig := fmt.Sprintf(`{"discoveryAddress": "127.0.0.1:15010", "controlPlaneAuthPolicy": "NONE", "concurrency": 2,
		"binaryPath": %q, "proxyBootstrapTemplatePath": %q, "configPath": %q, "terminationDrainDuration": "1s",
		"extraStatTags": ["outcome", "baseline", "direction", "reason", "endpoint", "group", "peer", "arm", "policy", "pool"]}`,
		dir+"/envoy", s.tools+"/src/istio/tools/packaging/common/envoy_bootstrap.json", dir+"/etc/istio/proxy")
	g.agent, err = start(dir, "gateway", []string{"POD_NAME=" + name, "POD_NAMESPACE=" + how.namespace, "INSTANCE_IP=" + how.ip,
		"ISTIO_META_CLUSTER_ID=Kubernetes", "SERVICE_ACCOUNT=default", "PROXY_CONFIG=" + proxyConfig, "JWT_POLICY=none",
		"CA_ADDR=127.0.0.1:15010", "ISTIO_META_WORKLOAD_NAME=" + how.service, "ISTIO_META_INTERCEPTION_MODE=REDIRECT"},
		s.tools+"/bin/pilot-agent", "proxy", "router", "--domain", how.namespace+".svc.cluster.local",
		"--proxyLogLevel", "warning", "--proxyComponentLogLevel", "wasm:info,config:info", "--log_output_level", "default:info")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		g.agent.stop()
		if t.Failed() {
			t.Logf("the gateway's log:\n%s", tail(g.agent.text()))
		}
	})
	if err := g.agent.await(func() bool {
		response, err := http.Get("http://127.0.0.1:15021/healthz/ready")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	}); err != nil {
		t.Fatal(err)
	}
	return g
}

// admin is a page of Envoy's admin interface.
func (g *gateway) admin(t *testing.T, path string) string {
	t.Helper()
	response, err := http.Get(adminURL + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// stat is the sum of Envoy's metrics whose Prometheus line begins with prefix.
func (g *gateway) stat(t *testing.T, prefix string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(g.admin(t, "/stats/prometheus?usedonly")) {
		if strings.HasPrefix(line, prefix) {
			value, err := strconv.ParseFloat(strings.TrimSpace(line[strings.LastIndexByte(line, ' ')+1:]), 64)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			sum += value
		}
	}
	return sum
}

// modules are the wasm filters that came by ECDS, as /config_dump shows them.
func (g *gateway) modules(t *testing.T) (list []object) {
	t.Helper()
	var dump struct{ Configs []object }
	if err := json.Unmarshal([]byte(g.admin(t, "/config_dump")), &dump); err != nil {
		t.Fatal(err)
	}
	for _, config := range dump.Configs {
		filters, _ := config["ecds_filters"].([]any)
		for _, filter := range filters {
			typed, _ := at(filter.(object), "ecds_filter", "typed_config").(object)
			if strings.HasSuffix(text(typed, "@type"), ".http.wasm.v3.Wasm") {
				list = append(list, typed)
			}
		}
	}
	return list
}

// reply is what a client saw.
type reply struct {
	status   int
	replica  string
	decision map[string]string
	body     string
}

var client = &http.Client{Timeout: 20 * time.Second}

// ask sends a chat whose prompt begins with the system prompt. Forged are headers that it has no right to send.
func (g *gateway) ask(t *testing.T, system, user string, forged ...string) reply {
	t.Helper()
	body, err := json.Marshal(object{"model": "warmroute-sim", "max_tokens": 2, "messages": []any{
		object{"role": "system", "content": system}, object{"role": "user", "content": user}}})
	if err != nil {
		t.Fatal(err)
	}
	return g.send(t, http.MethodPost, "/v1/chat/completions", string(body), forged...)
}

func (g *gateway) send(t *testing.T, method, path, body string, headers ...string) reply {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, g.url+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("content-type", "application/json")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Host = req.Header.Get("host")
	response, err := client.Do(req)
	if err != nil {
		return reply{body: err.Error()}
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return reply{body: err.Error()}
	}
	decision := map[string]string{}
	for pair := range strings.SplitSeq(response.Header.Get("x-warmroute-decision"), ";") {
		if name, value, ok := strings.Cut(pair, "="); ok {
			decision[name] = value
		}
	}
	return reply{response.StatusCode, response.Header.Get("x-replica"), decision, string(answer)}
}
