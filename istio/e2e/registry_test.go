//go:build e2eistio

package e2e

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
)

// registry serves OCI images of one layer over plain HTTP: as much of the distribution API as pulling takes.
type registry struct {
	mu    sync.Mutex
	blobs map[string][]byte // by digest
	tags  map[string][]byte // manifests by tag
	pulls map[string]int    // of manifests by tag
}

// What the shipped files say, and where the tests have it.
const (
	shippedImage    = "registry.example.com/warmroute:0.1.0"
	registryAddress = "127.0.0.1:5000" // taken for a registry without TLS, being loopback
	moduleTag       = "0.1.0"
	brokenTag       = "broken" // holds no module
	trappingTag     = "traps"  // holds one that traps at every request
	absentTag       = "absent" // is not there
)

const manifestType = "application/vnd.oci.image.manifest.v1+json"

func newRegistry(wasm string) (*registry, error) {
	module, err := os.ReadFile(wasm)
	if err != nil {
		return nil, fmt.Errorf("./build.sh build makes the module: %w", err)
	}
	r := &registry{blobs: map[string][]byte{}, tags: map[string][]byte{}, pulls: map[string]int{}}
	r.push(moduleTag, module)
	r.push(brokenTag, []byte("\x00asm this is no module"))
	r.push(trappingTag, trapping())
	listener, err := net.Listen("tcp", registryAddress)
	if err != nil {
		return nil, err
	}
	go func() { _ = http.Serve(listener, r) }()
	return r, nil
}

// push stores the image that Istio takes: one tar+gzip layer that holds plugin.wasm.
func (r *registry) push(tag string, module []byte) {
	var layer bytes.Buffer
	zip := gzip.NewWriter(&layer)
	archive := tar.NewWriter(zip)
	_ = archive.WriteHeader(&tar.Header{Name: "plugin.wasm", Mode: 0o644, Size: int64(len(module))}) // into memory
	_, _ = archive.Write(module)
	archive.Close()
	zip.Close()
	config := []byte(`{"architecture":"wasm","os":"wasi","config":{},"rootfs":{"type":"layers","diff_ids":[]}}`)
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": manifestType,
		"config": r.blob("application/vnd.oci.image.config.v1+json", config),
		"layers": []any{r.blob("application/vnd.oci.image.layer.v1.tar+gzip", layer.Bytes())},
	})
	if err != nil {
		panic(err) // strings and numbers encode
	}
	r.tags[tag] = manifest
}

func (r *registry) blob(mediaType string, content []byte) map[string]any {
	digest := digestOf(content)
	r.blobs[digest] = content
	return map[string]any{"mediaType": mediaType, "digest": digest, "size": len(content)}
}

func digestOf(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// pulled is how often the manifest of a tag was asked for.
func (r *registry) pulled(tag string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.pulls[tag]
}

func (r *registry) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	path := request.URL.Path
	last := path[strings.LastIndexByte(path, '/')+1:]
	var content []byte
	switch {
	case path == "/v2/":
		return
	case strings.Contains(path, "/blobs/"):
		content = r.blobs[last]
	case strings.Contains(path, "/manifests/"):
		content = r.tags[last]
		for _, manifest := range r.tags {
			if digestOf(manifest) == last {
				content = manifest
			}
		}
		r.pulls[last]++
		w.Header().Set("content-type", manifestType)
	}
	if content == nil {
		http.NotFound(w, request)
		return
	}
	w.Header().Set("docker-content-digest", digestOf(content))
	w.Header().Set("content-length", fmt.Sprint(len(content)))
	if request.Method != http.MethodHead {
		_, _ = io.Copy(w, bytes.NewReader(content))
	}
}
