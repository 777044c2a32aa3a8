//go:build e2eistio

package e2e

import (
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"testing"
)

// endTunnels lets the tunnels of the mesh end in the pod, once its agent has a certificate: HTTP CONNECT by HTTP/2 and mTLS on port 15008 (HBONE).
// It stands in for ztunnel, which no registry of packages has; Envoy's own end of tunnels needs filters of Istio's build.
func (p *meshPod) endTunnels(t *testing.T) bool {
	dir := filepath.Join(filepath.Dir(p.sidecar.log), certificates)
	own, err := tls.LoadX509KeyPair(filepath.Join(dir, "cert-chain.pem"), filepath.Join(dir, "key.pem"))
	if err != nil {
		return false
	}
	root, err := os.ReadFile(filepath.Join(dir, "root-cert.pem"))
	mesh := x509.NewCertPool()
	if err != nil || !mesh.AppendCertsFromPEM(root) {
		return false
	}
	host, port := p.address[:len(p.address)-len(":8000")], ":15008"
	listener, err := p.network.listen(host + port)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(p.connect)}
	server.Protocols = new(http.Protocols)
	server.Protocols.SetHTTP2(true)
	server.TLSConfig = &tls.Config{Certificates: []tls.Certificate{own}, ClientCAs: mesh, ClientAuth: tls.RequireAndVerifyClientCert, NextProtos: []string{"h2"}}
	go func() { _ = server.ServeTLS(listener, "", "") }()
	t.Cleanup(func() { server.Close() })
	return true
}

// connect is one tunnel, to the pod's server and nowhere else.
func (p *meshPod) connect(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodConnect || r.Host != p.address {
		http.Error(w, "no such pod", http.StatusBadRequest)
		return
	}
	server, err := p.network.dial(r.Context(), "tcp", p.listens)
	if err != nil {
		w.WriteHeader(http.StatusServiceUnavailable) // as ztunnel answers
		return
	}
	defer server.Close()
	p.mu.Lock()
	for _, name := range r.TLS.PeerCertificates[0].URIs {
		p.from[name.String()+" "+r.Method]++
	}
	p.mu.Unlock()
	w.WriteHeader(http.StatusOK)
	out := http.NewResponseController(w)
	_ = out.Flush()
	go func() {
		_, _ = io.Copy(server, r.Body)
		server.Close()
	}()
	part := make([]byte, 32<<10)
	for {
		n, err := server.Read(part)
		if n > 0 {
			if _, failed := w.Write(part[:n]); failed != nil || out.Flush() != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
