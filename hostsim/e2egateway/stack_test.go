//go:build e2egateway

package e2egateway

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/registry"
)

const (
	root     = "../../"
	etcdURL  = "http://127.0.0.1:2379"
	image    = "127.0.0.1:5000/warmroute:0.1.0" // taken for a registry without TLS, being loopback
	shipped  = "registry.example.com/warmroute:0.1.0"
	adminURL = "http://127.0.0.1:19900"
	model    = "Qwen/Qwen3-8B"
	config   = "apiVersion: gateway.envoyproxy.io/v1alpha1\nkind: EnvoyGateway\ngateway: {controllerName: gateway.envoyproxy.io/gatewayclass-controller}\n"
)

// run starts a program that stays until the end of the test, and returns the path of its log.
func run(t *testing.T, dir string, env []string, argv ...string) string {
	t.Helper()
	path, stop := start(t, dir, env, argv...)
	t.Cleanup(stop)
	return path
}

// start starts a program, until stop.
func start(t *testing.T, dir string, env []string, argv ...string) (path string, stop func()) {
	t.Helper()
	path = filepath.Join(dir, filepath.Base(argv[0])+".log")
	out, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, out, out
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}, env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return path, func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		timer := time.AfterFunc(10*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		timer.Stop()
		if t.Failed() {
			text, _ := os.ReadFile(path)
			t.Logf("%s ended its log with\n%s", argv[0], text[max(0, len(text)-4000):])
		}
	}
}

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !holds(); time.Sleep(200 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after two minutes still not: %s", what)
		}
	}
}

// startKubernetes starts etcd and the API server, with Envoy Gateway's definitions, and returns a kubeconfig.
func startKubernetes(t *testing.T, dir string) string {
	tools := os.Getenv("ISTIO_TOOLS") + "/bin/"
	run(t, dir, nil, tools+"etcd", "--data-dir="+dir+"/etcd", "--listen-client-urls="+etcdURL, "--advertise-client-urls="+etcdURL, "--unsafe-no-fsync")
	signing, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	key := pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(signing)})
	write(t, dir+"/sa.key", key)
	write(t, dir+"/tokens.csv", []byte(token+`,admin,admin,"system:masters"`+"\n"))
	run(t, dir, nil, tools+"kube-apiserver", "--etcd-servers="+etcdURL, "--bind-address=0.0.0.0", "--advertise-address=10.9.0.1", "--secure-port=6443",
		"--cert-dir="+dir+"/apiserver", "--token-auth-file="+dir+"/tokens.csv", "--authorization-mode=AlwaysAllow", "--service-account-issuer=https://kubernetes",
		"--service-account-key-file="+dir+"/sa.key", "--service-account-signing-key-file="+dir+"/sa.key", "--service-cluster-ip-range=10.8.0.0/16",
		"--disable-admission-plugins=ServiceAccount")
	eventually(t, "the API server is ready", func() bool { _, err := call(http.MethodGet, "/readyz", nil); return err == nil })
	files, err := filepath.Glob(os.Getenv("GATEWAY_TOOLS") + "/src/charts/gateway-helm/charts/crds/crds/generated/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of definitions, %v", len(files), err)
	}
	for _, file := range append(files, os.Getenv("GATEWAY_TOOLS")+"/src/charts/gateway-helm/charts/crds/crds/gatewayapi-crds.yaml") {
		for _, doc := range documents(t, read(t, file)) {
			if doc["kind"] == "CustomResourceDefinition" {
				apply(t, doc)
			}
		}
	}
	apply(t, object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": "envoy-gateway-system"}})
	write(t, dir+"/kubeconfig", []byte(`{apiVersion: v1, kind: Config, current-context: x, clusters: [{name: c, cluster: {server: "`+kubeURL+`", insecure-skip-tls-verify: true}}], `+
		`users: [{name: u, user: {token: `+token+`}}], contexts: [{name: x, context: {cluster: c, user: u}}]}`))
	return dir + "/kubeconfig"
}

func write(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
}

// startRegistry serves the module's image, made and pushed by the command that ./build.sh image runs.
func startRegistry(t *testing.T, dir string) {
	listener, err := net.Listen("tcp", strings.Split(image, "/")[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() { _ = http.Serve(listener, registry.New(registry.Logger(log.New(io.Discard, "", 0)))) }()
	push := exec.Command(root+"build/hostsim", "image", "--wasm", root+"build/warmroute.wasm", "--out", dir+"/image", "--push", image)
	if out, err := push.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// program is Envoy Gateway, and environment what it runs with: its Envoy inherits that.
func program() string { return os.Getenv("GATEWAY_TOOLS") + "/bin/envoy-gateway" }

func environment(kubeconfig string) []string {
	return []string{"KUBECONFIG=" + kubeconfig, "ENVOY_GATEWAY_NAMESPACE=envoy-gateway-system", peersSecret}
}

// makeCertificates makes those of Envoy Gateway and its Envoys, as Secrets and as files.
func makeCertificates(t *testing.T, dir, kubeconfig string) {
	certgen := exec.Command(program(), "certgen", "--disable-topology-injector")
	certgen.Env = append(os.Environ(), environment(kubeconfig)...)
	if out, err := certgen.CombinedOutput(); err != nil {
		t.Fatalf("certgen: %v: %s", err, out)
	}
	secrets, err := call(http.MethodGet, "/api/v1/namespaces/envoy-gateway-system/secrets", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, item := range secrets["items"].([]any) {
		secret := item.(object)
		name := meta(secret)["name"].(string)
		for file, value := range secret["data"].(object) {
			text, err := base64.StdEncoding.DecodeString(value.(string))
			if err != nil {
				t.Fatal(err)
			}
			write(t, filepath.Join(dir, "config/certs", name, file), text)
			if name == "envoy-gateway" {
				write(t, "/certs/"+file, text)
			}
		}
	}
}

// startGateway starts Envoy Gateway with its default settings: what it watches is in Kubernetes, and the Envoy is ours, on this
// host. also is what its configuration has besides.
func startGateway(t *testing.T, dir, kubeconfig, also string) (logFile string) {
	versions := dir + "/data/envoy-versions/1.40.0/bin"
	if err := os.MkdirAll(versions, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(os.Getenv("ENVOY"), versions+"/envoy"); err != nil {
		t.Fatal(err)
	}
	write(t, dir+"/gateway.yaml", []byte(config+"provider:\n  type: Custom\n  custom:\n    resource: {type: Kubernetes, kubernetes: {leaderElection: {disable: true}}}\n"+
		"    infrastructure: {type: Host, host: {configHome: "+dir+"/config, dataHome: "+dir+"/data, stateHome: "+dir+"/state, runtimeDir: "+dir+"/run}}\n"+also))
	return run(t, dir, environment(kubeconfig), program(), "server", "--config-path", dir+"/gateway.yaml")
}
