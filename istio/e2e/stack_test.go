//go:build e2eistio

package e2e

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
)

// stack is the control plane, the simulated replicas, and what plays Kubernetes' controllers.
type stack struct {
	dir       string
	tools     string // folder of ../tools.sh
	kube      *kube
	pods      *pods
	processes []*process
	istiod    *process
}

var shared *stack // of all tests: it takes some seconds to start

func TestMain(m *testing.M) {
	os.Exit(func() int {
		dir, err := os.MkdirTemp("", "warmroute-istio-")
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		s := &stack{dir: dir, tools: os.Getenv("ISTIO_TOOLS")}
		shared = s
		defer os.RemoveAll(dir)
		defer s.stop()
		began := time.Now()
		if err := s.start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Printf("control plane up in %.1f s\n", time.Since(began).Seconds())
		code := m.Run()
		for _, p := range s.processes {
			fmt.Printf("memory: %s\n", p.memory())
		}
		if code != 0 {
			if keep := os.Getenv("E2E_LOGS"); keep != "" {
				_ = exec.Command("cp", "-r", dir, keep).Run()
			}
		}
		return code
	}())
}

// Where the control plane listens. Nothing else is in this network.
const (
	etcdURL   = "http://127.0.0.1:2379"
	kubeURL   = "https://127.0.0.1:6443"
	istiodURL = "http://127.0.0.1:8080"
	controlIP = "10.9.0.3"           // where gateways reach it
	discovery = controlIP + ":15010" // the port that means to agents that the network is safe: no TLS
	token     = "administrator"
)

func (s *stack) start() error {
	if s.tools == "" || os.Getenv("ENVOY") == "" {
		return fmt.Errorf("ISTIO_TOOLS and ENVOY are not set: run ./build.sh e2e-istio")
	}
	for _, step := range []func() error{s.startKube, s.startIstiod, s.startRegistry, s.startReplicas} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// run starts one of the processes that stay until the end.
func (s *stack) run(name string, env []string, argv ...string) (*process, error) {
	p, err := start(s.dir, name, env, argv...)
	if err == nil {
		s.processes = append(s.processes, p)
	}
	return p, err
}

func (s *stack) startKube() error {
	if _, err := s.run("etcd", nil, s.tools+"/bin/etcd", "--data-dir="+s.dir+"/etcd", "--listen-client-urls="+etcdURL,
		"--advertise-client-urls="+etcdURL, "--unsafe-no-fsync"); err != nil {
		return err
	}
	key, tokens := s.dir+"/sa.key", s.dir+"/tokens.csv"
	signing, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return err
	}
	block := &pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signing)}
	if err := os.WriteFile(key, pem.EncodeToMemory(block), 0o600); err != nil {
		return err
	}
	if err := os.WriteFile(tokens, []byte(token+`,admin,admin,"system:masters"`+"\n"), 0o600); err != nil {
		return err
	}
	api, err := s.run("kube-apiserver", nil, s.tools+"/bin/kube-apiserver", "--etcd-servers="+etcdURL,
		"--bind-address=127.0.0.1", "--advertise-address=10.9.0.1", "--secure-port=6443", "--cert-dir="+s.dir+"/certs",
		"--token-auth-file="+tokens, "--authorization-mode=AlwaysAllow", "--service-account-issuer=https://kubernetes",
		"--service-account-key-file="+key, "--service-account-signing-key-file="+key,
		"--service-cluster-ip-range=10.8.0.0/16", "--disable-admission-plugins=ServiceAccount")
	if err != nil {
		return err
	}
	s.kube = newKube(kubeURL, token)
	if err := api.await(func() bool {
		_, err := s.kube.call(http.MethodGet, "/readyz", "", nil)
		return err == nil
	}); err != nil {
		return err
	}
	source := s.tools + "/src/istio/"
	for _, file := range []string{"manifests/charts/base/files/crd-all.gen.yaml",
		"tests/integration/pilot/testdata/gateway-api-crd.yaml", "tests/integration/pilot/testdata/gateway-api-inference-extension-crd.yaml"} {
		docs, err := readYAML(source + file)
		if err != nil {
			return err
		}
		for _, doc := range docs {
			if doc["kind"] == "CustomResourceDefinition" {
				if err := s.kube.apply(doc); err != nil {
					return err
				}
			}
		}
	}
	return s.kube.apply(object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "istio-system"}})
}

// accessLog has the decision, as istio/README.md says.
const accessLog = `%REQ(:METHOD)% %PATH(NQ:ORIG_OR_PATH)% %RESPONSE_CODE% %RESPONSE_FLAGS% %UPSTREAM_HOST% %FILTER_STATE(wasm.warmroute:PLAIN)%` + "\n"

func (s *stack) startIstiod() error {
	config, err := yaml.Marshal(object{"apiVersion": "v1", "kind": "Config", "current-context": "x",
		"clusters": []any{object{"name": "c", "cluster": object{"server": kubeURL, "insecure-skip-tls-verify": true}}},
		"users":    []any{object{"name": "u", "user": object{"token": token}}},
		"contexts": []any{object{"name": "x", "context": object{"cluster": "c", "user": "u"}}}})
	if err != nil {
		return err
	}
	mesh, err := yaml.Marshal(object{"trustDomain": "cluster.local", "accessLogFile": "/dev/stdout", "accessLogFormat": accessLog,
		"extensionProviders": []any{object{"name": "otel", "opentelemetry": object{"service": collectorService + ".istio-system.svc.cluster.local",
			"port": collectorPort, "http": object{"path": "/v1/traces", "timeout": "3s"}}}}})
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{"kubeconfig": config, "mesh.yaml": mesh} {
		if err := os.WriteFile(filepath.Join(s.dir, name), text, 0o600); err != nil {
			return err
		}
	}
	// The agents' own connections have no TLS: they stay on this machine. The filters that PILOT_… turn off exist in Istio's
	// own build of Envoy only. Gateways are started by the tests, not deployed.
	s.istiod, err = s.run("istiod", []string{"POD_NAME=istiod-0", "POD_NAMESPACE=istio-system", "CLUSTER_ID=Kubernetes",
		"XDS_AUTH_PLAINTEXT=true", "PILOT_CERT_PROVIDER=none", "PILOT_ENABLE_AMBIENT=true",
		"PILOT_ENABLE_METADATA_EXCHANGE=false", "PILOT_ENABLE_ALPN_FILTER=false", "PILOT_ENABLE_TELEMETRY_LABEL=false",
		"PILOT_ENABLE_GATEWAY_API_DEPLOYMENT_CONTROLLER=false", "ENABLE_GATEWAY_API_INFERENCE_EXTENSION=true"},
		s.tools+"/bin/pilot-discovery", "discovery", "--registries=Kubernetes", "--kubeconfig="+s.dir+"/kubeconfig",
		"--meshConfig="+s.dir+"/mesh.yaml", "--grpcAddr="+discovery, "--secureGRPCAddr=", "--httpAddr=127.0.0.1:8080",
		"--httpsAddr=", "--monitoringAddr=127.0.0.1:15014", "--ctrlz_port=0", "--log_output_level=default:info")
	if err != nil {
		return err
	}
	return s.istiod.await(func() bool {
		response, err := http.Get(istiodURL + "/ready")
		if err != nil {
			return false
		}
		response.Body.Close()
		return response.StatusCode == http.StatusOK
	})
}

func (s *stack) startReplicas() error {
	replicas, err := s.run("replicas", nil, absolute("../../build/hostsim"), "replicas", "--n", fmt.Sprint(maxPods),
		"--port", fmt.Sprint(replicaPort), "--speed", "4")
	if err != nil {
		return err
	}
	if err := replicas.await(func() bool { return strings.Count(replicas.text(), "ready on") == maxPods }); err != nil {
		return err
	}
	s.pods = newPods(s.kube)
	return nil
}

func (s *stack) stop() {
	s.pods.stop()
	for i := len(s.processes) - 1; i >= 0; i-- {
		s.processes[i].stop()
	}
}

func absolute(path string) string {
	path, err := filepath.Abs(path)
	if err != nil {
		panic(err) // only without a working directory
	}
	return path
}

// readYAML reads a file of documents.
func readYAML(path string) ([]object, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return parseYAML(string(text))
}

func parseYAML(text string) (docs []object, err error) {
	for part := range strings.SplitSeq("\n"+text, "\n---") {
		var doc object
		if err := yaml.Unmarshal([]byte(part), &doc); err != nil {
			return nil, err
		}
		if doc != nil {
			docs = append(docs, doc)
		}
	}
	return docs, nil
}
