//go:build e2eistio

package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// gateway is a pod of pilot-agent with Envoy, as Istio deploys it, but for Envoy being the project's.
type gateway struct {
	agent *process
	pod   object
	url   string // of its port 80
	local *http.Client
	leave func() error // removes it from its Service
}

const adminURL = "http://127.0.0.1:15000"

// style is how a gateway comes about: Istio's own Gateway, or that of the Kubernetes Gateway API.
type style struct {
	folder    string // of the vLLM example
	namespace string
	service   string // of the gateway, and its service account
	labels    object
	ip        string
	network   *network // of its own; nil: that of the tests
	env       []string // what else is in its environment
}

var (
	classic = style{folder: "vllm/classic", namespace: "istio-system", service: "istio-ingressgateway",
		labels: object{"app": "istio-ingressgateway", "istio": "ingressgateway"}, ip: "10.9.0.1"}
	gatewayAPI = style{folder: "vllm/gateway-api", namespace: "default", service: "llm-istio",
		labels: object{"gateway.networking.k8s.io/gateway-name": "llm"}, ip: "10.9.0.2"}
)

// in is the same in a network of its own, so that it can be one of several.
func (how style) in(t *testing.T, ip string, env ...string) style {
	t.Helper()
	how.ip, how.network, how.env = ip, newNetwork(t, ip), env
	return how
}

// startGateway runs a gateway until the end of the test.
func (s *stack) startGateway(t *testing.T, how style) *gateway {
	t.Helper()
	g := s.launch(t, how)
	if err := g.agent.await(func() bool { return ready(g.local) }); err != nil {
		t.Fatal(err)
	}
	return g
}

// ready says whether the agent of a client's network has an Envoy that is ready.
func ready(client *http.Client) bool {
	response, err := client.Get("http://127.0.0.1:15021/healthz/ready")
	if err != nil {
		return false
	}
	response.Body.Close()
	return response.StatusCode == http.StatusOK
}

// launch starts a gateway, and does not wait for it.
func (s *stack) launch(t *testing.T, how style) *gateway {
	t.Helper()
	name := how.service + "-" + strings.ReplaceAll(how.ip, ".", "-")
	service := object{"apiVersion": "v1", "kind": "Service", "metadata": object{"namespace": how.namespace, "name": how.service, "labels": how.labels},
		"spec": object{"selector": how.labels, "ports": []any{object{"name": "http", "port": 80, "targetPort": 80}}}}
	if err := s.kube.apply(service); err != nil {
		t.Fatal(err)
	}
	g := &gateway{url: "http://" + how.ip + ":80", local: how.network.client()}
	var err error
	if g.pod, err = addPod(s.kube, how.namespace, name, how.ip, how.service, how.labels, nil); err != nil {
		t.Fatal(err)
	}
	g.leave = func() error { return s.kube.remove(g.pod) }
	t.Cleanup(func() {
		for _, o := range []object{g.pod, service} {
			if err := s.kube.remove(o); err != nil {
				t.Error(err)
			}
		}
	})
	g.agent = s.startAgent(t, how, "router", name)
	return g
}

// startAgent runs pilot-agent with Envoy until the end of the test: as a gateway (router), or as a pod's sidecar.
func (s *stack) startAgent(t *testing.T, how style, role, name string) *process {
	t.Helper()
	dir, err := os.MkdirTemp(s.dir, role+"-")
	if err != nil {
		t.Fatal(err)
	}
	labels := ""
	for name, value := range how.labels {
		labels += fmt.Sprintf("%s=%q\n", name, value)
	}
	// Strict about what istiod sends: an EnvoyFilter with a field that Envoy lacks must not pass unseen.
	envoy := "#!/bin/sh\nexec " + os.Getenv("ENVOY") + ` "$@" --reject-unknown-dynamic-fields` + "\n"
	token, err := s.kube.accountToken(how.namespace, how.service)
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{"etc/istio/pod/labels": labels, "envoy": envoy, "var/run/secrets/tokens/istio-token": token} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, certificates), 0o700); err != nil {
		t.Fatal(err)
	}
	proxyConfig := fmt.Sprintf(`{"discoveryAddress": %q, "controlPlaneAuthPolicy": "NONE", "concurrency": 2,
		"binaryPath": %q, "proxyBootstrapTemplatePath": %q, "configPath": %q, "terminationDrainDuration": "1s",
		"extraStatTags": ["outcome", "baseline", "direction", "reason", "endpoint", "group", "peer", "arm", "policy", "pool"]}`,
		discovery, dir+"/envoy", s.tools+"/src/istio/tools/packaging/common/envoy_bootstrap.json", dir+"/etc/istio/proxy")
	agent, err := start(dir, role, append([]string{"POD_NAME=" + name, "POD_NAMESPACE=" + how.namespace, "INSTANCE_IP=" + how.ip,
		"ISTIO_META_CLUSTER_ID=Kubernetes", "SERVICE_ACCOUNT=" + how.service, "PROXY_CONFIG=" + proxyConfig,
		"CA_ADDR=" + discovery, "ISTIO_META_WORKLOAD_NAME=" + how.service, "ISTIO_META_INTERCEPTION_MODE=REDIRECT"}, how.env...),
		append(how.network.enter(), s.tools+"/bin/pilot-agent", "proxy", role, "--domain", how.namespace+".svc.cluster.local",
			"--proxyLogLevel", "warning", "--proxyComponentLogLevel", "wasm:info,config:info", "--log_output_level", "default:info")...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		agent.stop()
		if t.Failed() {
			t.Logf("the log of %s:\n%s", name, tail(agent.text()))
		}
	})
	return agent
}

// admin is a page of Envoy's admin interface.
func (g *gateway) admin(t *testing.T, path string) string {
	t.Helper()
	response, err := g.local.Get(adminURL + path)
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

// stat is the sum of Envoy's metrics whose Prometheus line begins with prefix, and has the labels.
func (g *gateway) stat(t *testing.T, prefix string, labels ...string) (sum float64) {
	t.Helper()
	for line := range strings.Lines(g.admin(t, "/stats/prometheus?usedonly")) {
		if strings.HasPrefix(line, prefix) && !slices.ContainsFunc(labels, func(label string) bool { return !strings.Contains(line, label) }) {
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
