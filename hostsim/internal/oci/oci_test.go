package oci

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

var notes = map[string]string{Source: "https://example.org/warmroute", Version: "v1.2.3", "org.opencontainers.image.licenses": ""}

func module() []byte {
	return append([]byte("\x00asm\x01\x00\x00\x00"), bytes.Repeat([]byte("code and more code "), 5000)...)
}

func image(t *testing.T, wasm []byte) v1.Image {
	t.Helper()
	i, err := Image(wasm, notes)
	if err != nil {
		t.Fatal(err)
	}
	return i
}

func digest(t *testing.T, i v1.Image) string {
	t.Helper()
	d, err := i.Digest()
	if err != nil {
		t.Fatal(err)
	}
	return d.String()
}

// loopback is a registry in memory; its address is loopback, which may speak plain HTTP.
func loopback(t *testing.T) (host string) {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir()) // nobody's credentials
	server := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// What is pulled is what was pushed: by tag and by the digest that Push tells, whole and well formed.
func TestPushAndPull(t *testing.T) {
	wasm, host := module(), loopback(t)
	pushed := image(t, wasm)
	pinned, err := Push(t.Context(), host+"/team/warmroute:v1", pushed)
	if err != nil {
		t.Fatal(err)
	}
	if want := host + "/team/warmroute@" + digest(t, pushed); pinned != want {
		t.Errorf("got the name %s, want %s", pinned, want)
	}
	for _, ref := range []string{host + "/team/warmroute:v1", pinned} {
		parsed, err := name.ParseReference(ref)
		if err != nil {
			t.Fatal(err)
		}
		pulled, err := remote.Image(parsed)
		if err != nil {
			t.Fatal(err)
		}
		if got := digest(t, pulled); got != digest(t, pushed) {
			t.Errorf("%s: got digest %s, want %s", ref, got, digest(t, pushed))
		}
		if err := validate.Image(pulled); err != nil {
			t.Errorf("%s: %v", ref, err)
		}
		asIstioReads(t, pulled, wasm)
	}
}

// asIstioReads holds an image against what istio.io/istio/pkg/wasm wants of one (extractOCIStandardImage): one layer of
// that type, in it a gzipped tar with plugin.wasm.
func asIstioReads(t *testing.T, i v1.Image, wasm []byte) {
	t.Helper()
	manifest, err := i.Manifest()
	if err != nil {
		t.Fatal(err)
	}
	if manifest.MediaType != types.OCIManifestSchema1 || len(manifest.Layers) != 1 ||
		manifest.Layers[0].MediaType != "application/vnd.oci.image.layer.v1.tar+gzip" {
		t.Fatalf("got a %s with layers %v", manifest.MediaType, manifest.Layers)
	}
	hash := sha256.Sum256(wasm)
	want := map[string]string{Source: notes[Source], Version: notes[Version], SHA256: hex.EncodeToString(hash[:]), Title: File}
	if len(manifest.Annotations) != len(want) {
		t.Errorf("got annotations %v, want %v", manifest.Annotations, want)
	}
	for key, value := range want {
		if manifest.Annotations[key] != value {
			t.Errorf("annotation %s: got %q, want %q", key, manifest.Annotations[key], value)
		}
	}
	layers, err := i.Layers()
	if err != nil {
		t.Fatal(err)
	}
	files, err := layers[0].Uncompressed()
	if err != nil {
		t.Fatal(err)
	}
	defer files.Close()
	reader := tar.NewReader(files)
	header, err := reader.Next()
	if err != nil || header.Name != "plugin.wasm" || header.Mode != 0o644 || !header.ModTime.IsZero() && header.ModTime.Unix() != 0 {
		t.Fatalf("got the file %+v (%v)", header, err)
	}
	if got, err := io.ReadAll(reader); err != nil || !bytes.Equal(got, wasm) {
		t.Errorf("plugin.wasm: got %d bytes (%v), want the %d of the module", len(got), err, len(wasm))
	}
	if _, err := reader.Next(); err != io.EOF {
		t.Errorf("another file in the layer (%v)", err)
	}
}

// The digest depends on the module and the annotations, and on nothing else.
func TestDigest(t *testing.T) {
	first := digest(t, image(t, module()))
	if again := digest(t, image(t, module())); again != first {
		t.Errorf("the same module has the digests %s and %s", first, again)
	}
	if other := digest(t, image(t, append(module(), 0))); other == first {
		t.Error("another module has the same digest")
	}
	bare, err := Image(module(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if digest(t, bare) == first {
		t.Error("other annotations have the same digest")
	}
}

// Every blob of the layout is what its name says, and the index leads to the manifest, the config and the layer.
func TestWrite(t *testing.T) {
	dir, i := t.TempDir(), image(t, module())
	for range 2 { // a second time over the first
		if err := Write(dir, i); err != nil {
			t.Fatal(err)
		}
	}
	var index v1.IndexManifest
	unmarshal(t, filepath.Join(dir, "index.json"), &index)
	if len(index.Manifests) != 1 || index.Manifests[0].Digest.String() != digest(t, i) {
		t.Fatalf("the index has %v, want %s", index.Manifests, digest(t, i))
	}
	var manifest v1.Manifest
	unmarshal(t, blobFile(dir, index.Manifests[0]), &manifest)
	for _, d := range []v1.Descriptor{index.Manifests[0], manifest.Config, manifest.Layers[0]} {
		text, err := os.ReadFile(blobFile(dir, d))
		if err != nil || int64(len(text)) != d.Size || sum(text) != d.Digest {
			t.Errorf("%s: %d bytes (%v), want %d", d.Digest, len(text), err, d.Size)
		}
	}
	layout, err := os.ReadFile(filepath.Join(dir, "oci-layout"))
	if err != nil || string(layout) != `{"imageLayoutVersion":"1.0.0"}` {
		t.Errorf("oci-layout: %s (%v)", layout, err)
	}
}

func blobFile(dir string, d v1.Descriptor) string {
	return filepath.Join(dir, "blobs", d.Digest.Algorithm, d.Digest.Hex)
}

func unmarshal(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}

func TestErrors(t *testing.T) {
	if _, err := Image([]byte("#!/bin/sh"), nil); err == nil || !strings.Contains(err.Error(), "no WebAssembly module") {
		t.Errorf("a script: got %v", err)
	}
	host := loopback(t)
	for ref, want := range map[string]string{
		"warmroute":                 "could not parse reference: warmroute",
		host + "/team/Warm Route:1": "could not parse reference: " + host,
		"127.0.0.1:1/warmroute:1":   "pushing to 127.0.0.1:1/warmroute:1",
	} {
		if _, err := Push(t.Context(), ref, image(t, module())); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error that names %s", ref, err, want)
		}
	}
}
