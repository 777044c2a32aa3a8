//go:build e2e

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warmroute/hostsim/internal/gateway"
)

// Gateways that know each other by their certificates (peers.trust mtls) have no secret: what one routes the other knows, and nobody else is
// answered, whoever has signed his certificate.
func TestGatewaysByCertificates(t *testing.T) {
	t.Parallel()
	const us, stranger = "spiffe://mesh.test/ns/edge/sa/gateway", "spiffe://mesh.test/ns/edge/sa/gateway-of-others"
	ca, dir := newAuthority(t), t.TempDir()
	leave(t, dir, issued(t, ca, us), ca)
	m := &mesh{t: t, workers: 2, fleet: pool(t), secret: "short", peers: map[string]any{"cluster": "gateways", "trust": "mtls"}}
	m.change = func(_ int, doc any) { byCertificate(t, doc, dir, us) }
	m.launch(2)
	for n := range 12 {
		m.stacks[0].post(t, "/v1/chat/completions", chat(story(n), "go on", nil))
	}
	eventually(t, "the other gateway is told", func() bool { return m.stacks[1].stat(t, "warmroute_peer_entries_total") >= 12 })
	if known := m.known(t, 1, 0, 12); known < 10 {
		t.Errorf("the other gateway knows %d of 12 prompts", known)
	}

	news := fmt.Sprintf("127.0.0.1:%d/warmroute/news", m.news[0])
	before := m.stacks[0].total(t, "peer_faults_total", `reason="identity"`)
	for _, c := range []struct {
		name   string
		shown  *tls.Certificate // nil: none
		path   string
		status int // 0: no answer
	}{
		{"a gateway's, without an ask", issued(t, ca, us), news, http.StatusForbidden},
		{"a gateway's, elsewhere", issued(t, ca, us), strings.Replace(news, "/warmroute/news", "/v1/models", 1), http.StatusNotFound},
		{"a stranger's", issued(t, ca, stranger), news, http.StatusForbidden},
		{"one without a name", issued(t, ca, ""), news, http.StatusForbidden},
		{"a gateway's, of another authority", issued(t, newAuthority(t), us), news, 0},
		{"none", nil, news, 0},
	} {
		config := &tls.Config{InsecureSkipVerify: true} // what is tested is the listener
		if c.shown != nil {
			config.Certificates = []tls.Certificate{*c.shown}
		}
		client := &http.Client{Transport: &http.Transport{TLSClientConfig: config, DisableKeepAlives: true}, Timeout: 10 * time.Second}
		status := 0
		if response, err := client.Get("https://" + c.path); err == nil {
			body, _ := io.ReadAll(response.Body)
			response.Body.Close()
			if status = response.StatusCode; len(body) > 0 {
				t.Errorf("%s: the answer has a body: %q", c.name, body)
			}
		}
		if status != c.status {
			t.Errorf("%s: status %d, want %d", c.name, status, c.status)
		}
	}
	if refused := m.stacks[0].total(t, "peer_faults_total", `reason="identity"`) - before; refused != 2 {
		t.Errorf("%v asks are counted as of no gateway, want 2", refused)
	}
}

// byCertificate makes an example's gateway one that asks and answers by the certificate in dir.
func byCertificate(t *testing.T, doc any, dir, uri string) {
	files := map[string]any{
		"tls_certificates":   []any{map[string]any{"certificate_chain": file(dir, "cert.pem"), "private_key": file(dir, "key.pem")}},
		"validation_context": map[string]any{"trusted_ca": file(dir, "ca.pem")},
	}
	named := map[string]any{"tls_certificates": files["tls_certificates"], "validation_context": map[string]any{
		"trusted_ca":                    file(dir, "ca.pem"),
		"match_typed_subject_alt_names": []any{map[string]any{"san_type": "URI", "matcher": map[string]any{"exact": uri}}},
	}}
	changed := 0
	for _, c := range gateway.Find(doc, "value") {
		if text, _ := c["value"].(string); strings.Contains(text, `"role"`) {
			c["value"] = `{"role": "peers", "peers": {"trust": "mtls"}}`
			changed++
		}
	}
	for _, l := range gateway.Find(doc, "filter_chains") {
		if l["name"] == "news" {
			l["filter_chains"].([]any)[0].(map[string]any)["transport_socket"] = typed("envoy.transport_sockets.tls", "envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext", map[string]any{"require_client_certificate": true, "common_tls_context": files})
			changed++
		}
	}
	for _, c := range gateway.Find(doc, "load_assignment") {
		if c["name"] == "gateways" {
			c["transport_socket"] = typed("envoy.transport_sockets.tls", "envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext", map[string]any{"common_tls_context": named})
			changed++
		}
	}
	if changed != 3 {
		t.Fatalf("%d places of the example were changed, want 3", changed)
	}
}

func file(dir, name string) any { return map[string]any{"filename": filepath.Join(dir, name)} }

// newAuthority is a certificate that signs others.
func newAuthority(t *testing.T) *tls.Certificate {
	t.Helper()
	return signed(t, &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
}

// issued is a certificate for a URI; "": for nobody in particular.
func issued(t *testing.T, by *tls.Certificate, uri string) *tls.Certificate {
	t.Helper()
	of := &x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), KeyUsage: x509.KeyUsageDigitalSignature, DNSNames: []string{"gateway.test"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
	}
	if uri != "" {
		parsed, err := url.Parse(uri)
		if err != nil {
			t.Fatal(err)
		}
		of.URIs = []*url.URL{parsed}
	}
	return signed(t, of, by)
}

// leave writes a certificate, its key, and that of the authority into dir.
func leave(t *testing.T, dir string, c, authority *tls.Certificate) {
	t.Helper()
	cert, key := inPEM(t, c)
	ca, _ := inPEM(t, authority)
	for name, text := range map[string]string{"cert.pem": cert, "key.pem": key, "ca.pem": ca} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}
