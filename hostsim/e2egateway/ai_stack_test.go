//go:build e2egateway

package e2egateway

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const (
	ai          = "envoy-ai-gateway"
	aiPeers     = "envoy-ai-gateway-peers"
	aiNamespace = "envoy-ai-gateway-system"
	aiAddress   = "10.9.1.3" // of its controller, which has ports in common with Envoy Gateway's
)

// aiHooks is what Envoy AI Gateway's own values file asks of Envoy Gateway's configuration.
const aiHooks = `extensionApis: {enableEnvoyPatchPolicy: true, enableBackend: true}
extensionManager:
  hooks:
    xdsTranslator:
      translation: {listener: {includeAll: true}, route: {includeAll: true}, cluster: {includeAll: true}, secret: {includeAll: true}}
      post: [Translation, Cluster, Route]
  service: {fqdn: {hostname: ai-gateway-controller.envoy-ai-gateway-system.svc.cluster.local, port: 1063}}
`

func aiProgram(name string) string { return os.Getenv("GATEWAY_TOOLS") + "/bin/ai-" + name }

// startAIController starts the controller as its chart does: its definitions, its webhook, and its certificate.
func startAIController(t *testing.T, dir, kubeconfig string) {
	t.Helper()
	files, err := filepath.Glob(os.Getenv("GATEWAY_TOOLS") + "/ai-definitions/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files of definitions, %v", len(files), err)
	}
	var definitions []object
	for _, file := range files {
		definitions = append(definitions, documents(t, read(t, file))...)
	}
	for _, doc := range definitions {
		apply(t, doc)
	}
	for _, doc := range definitions {
		spec := doc["spec"].(object)
		for _, version := range spec["versions"].([]any) {
			path := fmt.Sprintf("/apis/%s/%s/%s", spec["group"], version.(object)["name"], spec["names"].(object)["plural"])
			eventually(t, path+" is served", func() bool { _, err := call(http.MethodGet, path, nil); return err == nil })
		}
	}
	apply(t, object{"apiVersion": "v1", "kind": "Namespace", "metadata": object{"name": aiNamespace}})
	certificate := certify(t, dir+"/ai-certs", aiAddress)
	apply(t, object{"apiVersion": "admissionregistration.k8s.io/v1", "kind": "MutatingWebhookConfiguration",
		"metadata": object{"name": "envoy-ai-gateway-gateway-pod-mutator." + aiNamespace},
		"webhooks": []any{object{
			"name":           "ai-gateway-controller." + aiNamespace + ".svc.cluster.local",
			"clientConfig":   object{"url": "https://" + aiAddress + ":9443/mutate", "caBundle": base64.StdEncoding.EncodeToString(certificate)},
			"rules":          []any{object{"apiGroups": []any{""}, "apiVersions": []any{"v1"}, "operations": []any{"CREATE"}, "resources": []any{"pods"}}},
			"objectSelector": object{"matchLabels": object{"app.kubernetes.io/managed-by": "envoy-gateway"}},
			"sideEffects":    "None", "admissionReviewVersions": []any{"v1"}, "timeoutSeconds": 10, "failurePolicy": "Fail"}}})
	fromThere := strings.Replace(string(read(t, kubeconfig)), "127.0.0.1", first, 1)
	write(t, dir+"/ai-kubeconfig", []byte(fromThere))
	run(t, dir, []string{"KUBECONFIG=" + dir + "/ai-kubeconfig", "POD_NAMESPACE=" + aiNamespace},
		append(within(t, "ai", aiAddress), aiProgram("controller"), "-logLevel=info", "--envoyGatewayNamespace=envoy-gateway-system",
			"--tlsCertDir="+dir+"/ai-certs", "--tlsCertName=tls.crt", "--tlsKeyName=tls.key", "--webhookPort=9443", "--rootPrefix=/", "--enableLeaderElection=false")...)
}

// certify writes a key and a certificate for an address, and returns the latter, which is its own authority.
func certify(t *testing.T, dir, address string) []byte {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: address}, IPAddresses: []net.IP{net.ParseIP(address)},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	signed, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signed})
	write(t, dir+"/tls.crt", certificate)
	write(t, dir+"/ca.crt", certificate)
	write(t, dir+"/tls.key", pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: private}))
	return certificate
}

// startExtProc starts the process that Envoy AI Gateway puts beside each Envoy, as it says in a pod of the gateway's: with these
// arguments, and with the Secret that the pod mounts.
func startExtProc(t *testing.T, dir string) {
	t.Helper()
	labels := object{"app.kubernetes.io/managed-by": "envoy-gateway", "gateway.envoyproxy.io/owning-gateway-name": "llm", "gateway.envoyproxy.io/owning-gateway-namespace": "default"}
	envoy := object{"containers": []any{object{"name": "envoy", "image": "envoy"}}}
	apply(t, object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "llm", "namespace": "envoy-gateway-system", "labels": labels},
		"spec": object{"selector": object{"matchLabels": labels}, "template": object{"metadata": object{"labels": labels}, "spec": envoy}}})
	eventually(t, "Envoy AI Gateway has written its filter's configuration", func() bool { return mountConfig(t, dir) })
	apply(t, object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"name": "llm", "namespace": "envoy-gateway-system", "labels": labels}, "spec": envoy})
	pod, err := call(http.MethodGet, "/api/v1/namespaces/envoy-gateway-system/pods/llm", nil)
	if err != nil {
		t.Fatal(err)
	}
	argv := []string{aiProgram("extproc")}
	for _, kind := range []string{"initContainers", "containers"} {
		containers, _ := pod["spec"].(object)[kind].([]any)
		for _, item := range containers {
			if container := item.(object); container["name"] == "ai-gateway-extproc" {
				for _, arg := range container["args"].([]any) {
					argv = append(argv, strings.Replace(arg.(string), "/etc/filter-config/", dir+"/filter-config/", 1))
				}
			}
		}
	}
	if len(argv) == 1 {
		t.Fatalf("Envoy AI Gateway has put no container into the pod: %v", pod["spec"])
	}
	run(t, dir, nil, argv...)
}

// mountConfig writes the filter's configuration from its Secret to where the process reads it again and again, as a kubelet does.
func mountConfig(t *testing.T, dir string) bool {
	t.Helper()
	list, err := call(http.MethodGet, "/api/v1/namespaces/envoy-gateway-system/secrets", nil)
	if err != nil {
		return false
	}
	for _, item := range list["items"].([]any) {
		data, _ := item.(object)["data"].(object)
		if text, ok := data["filter-config.yaml"].(string); ok {
			config, err := base64.StdEncoding.DecodeString(text)
			write(t, dir+"/filter-config/filter-config.yaml", config)
			return err == nil
		}
	}
	return false
}
