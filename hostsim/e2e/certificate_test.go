//go:build e2e

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"testing"
	"time"
)

// signed is a certificate, valid for an hour, and its key; nil: it signs itself.
func signed(t *testing.T, of *x509.Certificate, by *tls.Certificate) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of.NotBefore, of.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	if by == nil {
		by = &tls.Certificate{Leaf: of, PrivateKey: key}
	}
	der, err := x509.CreateCertificate(rand.Reader, of, by.Leaf, key.Public(), by.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	c := &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
	if c.Leaf, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	return c
}

// inPEM is a certificate and its key as text.
func inPEM(t *testing.T, c *tls.Certificate) (cert, key string) {
	t.Helper()
	der, err := x509.MarshalPKCS8PrivateKey(c.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: c.Certificate[0]})), string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}
